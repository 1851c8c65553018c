// A game reviewed: what every move lost, which ones were mistakes, and a second chance at the worst of them. Losses are
// in win rate, from the view of who moved, by the rule of `tengen review`: the best move's win rate before, less the one
// after the move that was made.

import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { StoneIcon } from "../board/pieces";
import { capital, percent } from "../controls";
import { rich, t } from "../language";
import { freshId, spotAt, writeLink } from "../link";
import type { BoardShape, Player, Position } from "../protocol";
import { moveText } from "../moves";
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
  points: number | null; // of the final score, where the network has a score head
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
      points: pointsLost(before, after, text),
      best: before.move,
      bestName: before.name ?? before.move,
      grade: GRADES.find(([, least]) => lost >= least)?.[0] ?? null,
    };
  });
}

/** What the move cost in the score at the end, by the network before and after it. */
function pointsLost(before: Known, after: Known, text: string): number | null {
  if (before.lead === null || after.lead === null) return null;
  const change = before.player === 0 ? before.lead - after.lead : after.lead - before.lead;
  return text === before.move ? 0 : Math.max(0, change);
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
          <progress max={line.length + 1} value={done} aria-label={t("Positions searched")} /> {t("{count} of {all} positions", { count: done, all: line.length + 1 })}
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
                {rich("*{player}*: {best} of {all} moves were the best found, {lost} lost a move.", { player: capital(board.players[player]), best, all: own.length, lost: percent(mean) })}{" "}
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
          <h3 class="small">{worst.length ? t("What cost most") : t("No move lost much.")}</h3>
          <ol class="review-worst">
            {worst.map((move) => (
              <li data-ply={move.ply}>
                <button type="button" class="quiet" onClick={() => props.onJump(move.ply + 1)}>
                  {move.ply + 1}. {move.name} <Symbol grade={move.grade as Grade} />
                </button>
                <span class="small">
                  {rich("{player} lost {lost}; *{move}* was better.", { player: capital(board.players[move.player]), lost: costOf(board, move), move: moveText(move.bestName ?? "", move.player) })}
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

/** "12 %, 3.5 points" */
function costOf(board: BoardShape, { lost, points }: ReviewedMove): string {
  return points === null ? percent(lost) : `${percent(lost)}, ${points.toFixed(1)} ${t(board.score_name)}`;
}

/** A game from the position before the move, played by who made it. */
function again(position: Position, line: string[], move: ReviewedMove): string {
  return writeLink("play", spotAt({ ...position, moves: line.slice(0, move.ply) }, freshId()), { side: String(move.player) });
}

export function Symbol({ grade }: { grade: Grade }): JSX.Element {
  return (
    <abbr class={`grade grade-${grade}`} title={t(grade)}>
      {SYMBOLS[grade]}
    </abbr>
  );
}
