// A game reviewed: what every move lost, which ones were mistakes, and a second chance at the worst of them. Losses are
// in win rate, from the view of who moved, by the rule of `tengen review`: the best move's win rate before, less the one
// after the move that was made.

import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { StoneIcon } from "../board/pieces";
import { capital, percent } from "../controls";
import { t } from "../language";
import { freshId, spotAt, writeLink } from "../link";
import type { BoardShape, Player, Position } from "../protocol";
import type { Known } from "./values";

export type Grade = "inaccuracy" | "mistake" | "blunder";

export const SYMBOLS: Record<Grade, string> = { inaccuracy: "?!", mistake: "?", blunder: "??" };
const GRADES: [Grade, number][] = [
  ["blunder", 0.2],
  ["mistake", 0.1],
  ["inaccuracy", 0.05], // smaller differences change with the number of simulations
];
const WORST = 3;

export interface ReviewedMove {
  ply: number; // moves before it
  text: string;
  name: string; // as people write it
  player: Player;
  lost: number; // win rate
  best: string; // the better move, or the same
  bestName: string;
  grade: Grade | null;
}

/** The moves of a line whose positions are known, in order; null where something is not known yet. */
export function reviewOf(line: string[], names: string[], values: (Known | undefined)[]): (ReviewedMove | null)[] {
  return line.map((text, ply) => {
    const [before, after] = [values[ply], values[ply + 1]];
    if (!before || !after || before.move === null || Number.isNaN(after.best) || before.player === null) return null;
    const change = before.player === 0 ? before.best - after.best : after.best - before.best;
    const lost = text === before.move ? 0 : Math.max(0, change);
    return {
      ply,
      text,
      name: names[ply] ?? text,
      player: before.player,
      lost,
      best: before.move,
      bestName: before.name ?? before.move,
      grade: GRADES.find(([, least]) => lost >= least)?.[0] ?? null,
    };
  });
}

export function ReviewCard(props: {
  board: BoardShape;
  position: Position; // any of the game
  line: string[];
  moves: (ReviewedMove | null)[];
  missing: number; // positions still to be searched
  onJump: (count: number) => void;
  onClose: () => void;
}): JSX.Element {
  const { board, line, missing } = props;
  const known = useMemo(() => props.moves.filter((move) => move !== null), [props.moves]);
  const worst = known.filter((move) => move.grade !== null).sort((a, b) => b.lost - a.lost || a.ply - b.ply).slice(0, WORST);
  const done = line.length + 1 - missing;
  return (
    <section class="card review" aria-label={t("Review")} data-review={missing === 0 ? "done" : "running"}>
      <div class="review-head">
        <h2 class="card-title">{t("Review")}</h2>
        <button type="button" class="quiet" onClick={props.onClose}>
          {t("Close")}
        </button>
      </div>
      {missing > 0 && (
        <p class="small">
          <progress max={line.length + 1} value={done} aria-label={t("Positions searched")} /> {done} of {line.length + 1} positions
        </p>
      )}
      <ul class="review-players">
        {([0, 1] as const).map((player) => {
          const own = known.filter((move) => move.player === player);
          const best = own.filter((move) => move.text === move.best).length;
          const mean = own.reduce((sum, move) => sum + move.lost, 0) / Math.max(1, own.length);
          const count = (grade: Grade): number => own.filter((move) => move.grade === grade).length;
          return (
            <li data-player={player}>
              <StoneIcon board={board} player={player} />
              <span>
                <b>{capital(board.players[player])}</b>: {best} of {own.length} moves were the best found, {percent(mean)} lost a move.{" "}
                <span class="soft">
                  {count("blunder")} <Symbol grade="blunder" />, {count("mistake")} <Symbol grade="mistake" />,{" "}
                  {count("inaccuracy")} <Symbol grade="inaccuracy" />
                </span>
              </span>
            </li>
          );
        })}
      </ul>
      {missing === 0 && (
        <>
          <h3 class="small">{worst.length ? "What cost most" : "No move lost much."}</h3>
          <ol class="review-worst">
            {worst.map((move) => (
              <li data-ply={move.ply}>
                <button type="button" class="quiet" onClick={() => props.onJump(move.ply + 1)}>
                  {move.ply + 1}. {move.name} <Symbol grade={move.grade as Grade} />
                </button>
                <span class="small">
                  {capital(board.players[move.player])} lost {percent(move.lost)}; <b>{move.bestName}</b> {t("was better.")}
                </span>
                <a class="button" href={again(props.position, line, move)}>
                  {t("Try again from here")}
                </a>
              </li>
            ))}
          </ol>
        </>
      )}
    </section>
  );
}

/** A game from the position before the move, played by who made it. */
function again(position: Position, line: string[], move: ReviewedMove): string {
  return writeLink("play", spotAt({ ...position, moves: line.slice(0, move.ply) }, freshId()), { side: String(move.player) });
}

export function Symbol({ grade }: { grade: Grade }): JSX.Element {
  return (
    <abbr class={`grade grade-${grade}`} title={grade}>
      {SYMBOLS[grade]}
    </abbr>
  );
}
