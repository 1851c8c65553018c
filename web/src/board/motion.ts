// How pieces come to stand where they are, for the eye to follow: what the last move changed, compared with the board
// before it. A jump through the game moves nothing, and those who prefer less motion see none of it (theme.css).

import { useRef } from "preact/hooks";
import type { State } from "../protocol";
import { centre } from "./geometry";

export type Motion = { kind: "placed" | "flipped" } | { kind: "moved"; dx: number; dy: number };

/** Of the cells that the last move changed. */
export function useMotion(state: State): ReadonlyMap<number, Motion> {
  const shown = useRef<{ state: State; motion: Map<number, Motion> }>({ state, motion: new Map() });
  const before = shown.current.state;
  if (before !== state && movesOf(before) !== movesOf(state)) shown.current = { state, motion: motionOf(before, state) };
  else if (before.board !== state.board) shown.current = { state, motion: shown.current.motion };
  return shown.current.motion;
}

function motionOf(before: State, state: State): Map<number, Motion> {
  const motion = new Map<number, Motion>();
  const { board, cells, last } = state;
  const isNext = movesOf(state).startsWith(movesOf(before)) && state.position.moves.length === before.position.moves.length + 1;
  if (!isNext || cells === null || before.cells === null || before.position.game !== state.position.game) return motion;
  cells.forEach((code, cell) => {
    const was = before.cells?.[cell] ?? 0;
    if (code === 0 || code === was) return;
    const isTarget = cell === last?.target;
    if (isTarget && last?.source != null) {
      const [[x, y], [fromX, fromY]] = [centre(board, cell), centre(board, last.source)];
      motion.set(cell, { kind: "moved", dx: fromX - x, dy: fromY - y });
    } else if (isTarget && board.layout === "columns") {
      motion.set(cell, { kind: "moved", dx: 0, dy: -centre(board, cell)[1] });
    } else motion.set(cell, { kind: was === 0 ? "placed" : "flipped" });
  });
  return motion;
}

function movesOf({ position }: State): string {
  return `${position.game} ${position.moves.map((move) => `${move},`).join("")}`;
}
