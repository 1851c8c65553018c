// A move as its readers write it. The server says Nf3 and P-7f; those who read Chinese characters know moves of shogi as
// KIF has them: ▲７六歩, with the square that the piece came from only where another could have gone there too.

import { language } from "./language";
import type { Player, State } from "./protocol";

const MOVE = /^(\+?[PLNSGBRK])(?:([1-9])([a-i]))?([-x*])([1-9])([a-i])([+=]?)$/; // no other game writes its moves so
const PIECES: Record<string, string> = {
  P: "歩", L: "香", N: "桂", S: "銀", G: "金", B: "角", R: "飛", K: "玉", "+P": "と", "+L": "成香", "+N": "成桂", "+S": "成銀", "+B": "馬", "+R": "龍",
};
const ENDINGS: Record<string, string> = { "+": "成", "=": "不成" };

/** `player`: whose move it is, where a list does not say. */
export function moveText(notation: string, player?: Player): string {
  const found = language().startsWith("zh") ? MOVE.exec(notation) : null;
  if (!found) return notation;
  const [, piece = "", fromFile, fromRank, how, file, rank, ending = ""] = found;
  const mark = player === undefined ? "" : "▲△".charAt(player);
  const place = "１２３４５６７８９".charAt(Number(file) - 1) + "一二三四五六七八九".charAt(rankOf(rank) - 1);
  const source = fromFile === undefined ? "" : `(${fromFile}${rankOf(fromRank)})`;
  return `${mark}${place}${PIECES[piece] ?? piece}${how === "*" ? "打" : ""}${ENDINGS[ending] ?? ""}${source}`;
}

/** Moves one after the other, of players who take turns. */
export function lineText(notations: string[], first: Player): string[] {
  return notations.map((notation, ply) => moveText(notation, ((first + ply) % 2) as Player));
}

/** Who made the first move of a state's game, if the players take turns. */
export function firstToMove(state: State): Player {
  return ((state.to_move + state.position.moves.length) % 2) as Player;
}

/** How many digits wide a move is: a character of Chinese is two. */
export function widthOf(text: string): number {
  return [...text].reduce((width, character) => width + (character > "\u2e80" ? 2 : 1), 0);
}

function rankOf(letter = "a"): number {
  return "abcdefghi".indexOf(letter) + 1;
}
