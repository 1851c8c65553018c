// Where the page is, as a link: #/analyse/go?size=9&moves=E5,C3. A link says all that is needed to see the same thing.
// Each move is encoded by itself, so a comma in a move's text can't be taken for one between moves.

import type { GameInfo, Options, Position } from "./protocol";

export type Screen = "play" | "analyse" | "explore" | "train";
export const SCREENS: Screen[] = ["play", "analyse", "explore", "train"];

export interface Place {
  screen: Screen;
  subject: string | null; // a game; on the training screen, a run
  query: Record<string, string>; // decoded, except `moves`
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

/** The position that a place is about; of a game the server has, or null. */
export function readPosition(place: Place, games: GameInfo[]): Position | null {
  const game = games.find((one) => one.name === place.subject);
  if (game === undefined) return null;
  const options: Options = { ...game.options };
  for (const name of Object.keys(options)) {
    const text = place.query[name];
    if (text !== undefined) options[name] = readOption(text);
  }
  const moves = (place.query["moves"] ?? "").split(",").filter(Boolean).map(decode);
  return { game: game.name, options, moves };
}

export function writeLink(screen: Screen, position: Position, more: Record<string, string> = {}): string {
  const query = [
    ...Object.entries(position.options).map(([name, value]) => [name, encodeURIComponent(String(value))]),
    ...(position.moves.length ? [["moves", position.moves.map(encodeURIComponent).join(",")]] : []),
    ...Object.entries(more).map(([name, value]) => [name, encodeURIComponent(value)]),
  ];
  const tail = query.length ? `?${query.map((pair) => pair.join("=")).join("&")}` : "";
  return `#/${screen}/${encodeURIComponent(position.game)}${tail}`;
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
