// Where the page is, as a link: #/analyse/go?size=9&moves=E5,C3,G7&at=2. A link says all that is needed to see the same
// thing: the whole game and the place in it. Each move is encoded by itself, so a comma in a move's text can't be taken
// for one between moves.

import type { GameInfo, Options, Position } from "./protocol";

export type Screen = "play" | "analyse" | "explore" | "train";
export const SCREENS: Screen[] = ["play", "analyse", "explore", "train"];

export interface Place {
  screen: Screen;
  subject: string | null; // a game; on the training screen, a run
  query: Record<string, string>; // decoded, except `moves`
}

/** A game and a place in it: what Play, Analyse and Explore show, each in its way. */
export interface Spot {
  position: Position; // that is shown
  line: string[]; // the moves of the whole game; those of the position are its beginning
  id: string | null; // of the document that it belongs to, in this browser
}

export function readPlace(hash: string): Place {
  const [path = "", query = ""] = hash.replace(/^#?\/?/, "").split("?", 2);
  const [screen, subject] = path.split("/");
  return {
    screen: SCREENS.find((name) => name === screen) ?? "play",
    subject: subject ? decode(subject) : null,
    query: Object.fromEntries(
      query
        .split("&")
        .filter(Boolean)
        .map((pair) => {
          const [name = "", ...rest] = pair.split("=");
          return [decode(name), name === "moves" ? rest.join("=") : decode(rest.join("="))];
        }),
    ),
  };
}

/** What a place is about; of a game the server has, or null. */
export function readSpot(place: Place, games: GameInfo[]): Spot | null {
  const game = games.find((one) => one.name === place.subject);
  if (game === undefined) return null;
  const options: Options = { ...game.options };
  for (const name of Object.keys(options)) {
    const text = place.query[name];
    if (text !== undefined) options[name] = readOption(text);
  }
  const line = (place.query["moves"] ?? "").split(",").filter(Boolean).map(decode);
  const at = /^\d+$/.test(place.query["at"] ?? "") ? Number(place.query["at"]) : line.length;
  const start = place.query["start"];
  const position = { game: game.name, options, ...(start ? { start } : {}), moves: line.slice(0, at) };
  return { position, line, id: place.query["id"] || null };
}

/** A spot at the end of its line. */
export function spotAt(position: Position, id: string | null = null): Spot {
  return { position, line: position.moves, id };
}

export function writeLink(screen: Screen, spot: Spot, more: Record<string, string> = {}): string {
  const { position, line, id } = spot;
  const at = position.moves.length;
  const query = [
    ...Object.entries(position.options).map(([name, value]) => [name, encodeURIComponent(String(value))]),
    ...(position.start ? [["start", encodeURIComponent(position.start)]] : []),
    ...(line.length ? [["moves", line.map(encodeURIComponent).join(",")]] : []),
    ...(at < line.length ? [["at", String(at)]] : []),
    ...(id === null ? [] : [["id", encodeURIComponent(id)]]),
    ...Object.entries(more).map(([name, value]) => [name, encodeURIComponent(value)]),
  ];
  const tail = query.length ? `?${query.map((pair) => pair.join("=")).join("&")}` : "";
  return `#/${screen}/${encodeURIComponent(position.game)}${tail}`;
}

/** A name for a new document. */
export function freshId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(6)), (byte) => (byte % 36).toString(36)).join("");
}

function readOption(text: string): string | number | boolean | null {
  if (text === "true" || text === "false") return text === "true";
  if (text === "null") return null;
  return text.trim() !== "" && Number.isFinite(Number(text)) ? Number(text) : text;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
