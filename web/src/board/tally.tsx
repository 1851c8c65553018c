// What can be counted on a board: discs where the score is in discs; prisoners and territory where it is in points.

import type { JSX } from "preact";
import { capital } from "../controls";
import { t } from "../language";
import type { Player, State } from "../protocol";
import { StoneIcon } from "./pieces";

/** The count of each player, in words; nothing for a game that does not count. */
export function Tally({ state }: { state: State }): JSX.Element | null {
  const { board } = state;
  const counts = countsOf(state);
  if (counts === null) return null;
  const [numbers, what] = counts;
  return (
    <dl class="tally number" aria-label={t("Count of {what}", { what })}>
      {([0, 1] as const).map((player) => (
        <div data-tally={player}>
          <dt>
            <StoneIcon board={board} player={player} />
            <span class="visually-hidden">{capital(board.players[player])}</span>
          </dt>
          <dd>
            <b>{numbers[player]}</b> <span class="soft small">{what}</span>
          </dd>
        </div>
      ))}
    </dl>
  );
}

function countsOf(state: State): [[number, number], string] | null {
  const standing = [0, 1].map((player) => stones(state, player as Player)) as [number, number];
  if (state.board.score_name === "discs") return [standing, t("discs")];
  if (!isCountedInPoints(state) || state.position.start) return null; // of a set-up position nobody knows who took what
  const placed: [number, number] = [0, 0];
  state.position.moves.forEach((text, ply) => {
    if (text !== "pass") placed[(ply % 2) as Player]++; // players take turns; a pass is a turn
  });
  return [[placed[1] - standing[1], placed[0] - standing[0]], t("captured")];
}

function stones({ board, cells }: State, player: Player): number {
  return cells?.filter((code) => board.pieces[code - 1]?.owner === player).length ?? 0;
}

function isCountedInPoints({ board, cells }: State): boolean {
  return board.points && board.score_name === "points" && cells !== null;
}

/** Empty points that touch stones of one player only: +1 the first player's, -1 the second's, 0 nobody's. */
export function territoryOf(state: State): number[] | undefined {
  const { board, cells } = state;
  if (cells === null || !isCountedInPoints(state)) return undefined;
  const owners = cells.map((code) => (code === 0 ? null : board.pieces[code - 1]?.owner === 0 ? 1 : -1));
  const territory = new Array<number>(cells.length).fill(0);
  const seen = new Set<number>();
  for (const start of cells.keys()) {
    if (owners[start] !== null || seen.has(start)) continue;
    const [region, borders] = [[start], new Set<number>()];
    seen.add(start);
    for (const cell of region) {
      for (const next of neighbours(cell, board)) {
        const owner = owners[next];
        if (owner !== null && owner !== undefined) borders.add(owner);
        else if (!seen.has(next)) {
          seen.add(next);
          region.push(next);
        }
      }
    }
    if (borders.size === 1) for (const cell of region) territory[cell] = [...borders][0] as number;
  }
  return territory;
}

function neighbours(cell: number, { width, height }: { width: number; height: number }): number[] {
  const [row, column] = [Math.floor(cell / width), cell % width];
  return [
    ...(row > 0 ? [cell - width] : []),
    ...(row < height - 1 ? [cell + width] : []),
    ...(column > 0 ? [cell - 1] : []),
    ...(column < width - 1 ? [cell + 1] : []),
  ];
}
