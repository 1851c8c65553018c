// Who is winning: the network's win, draw and loss as a bar, and the search's verdict as a mark on it. The first player
// is always on the left.

import type { JSX } from "preact";
import { StoneIcon, playersClass, playersStyle } from "./board/pieces";
import { capital, percent } from "./controls";
import { t } from "./language";
import { outcomeSentence, outcomeText, stopped } from "./outcomes";
import type { Analysis, BoardShape, Outcome } from "./protocol";

/** How often the first player wins, a draw counted as half; from the search. */
export function firstWinRate(analysis: Analysis): number {
  const rate = (1 + analysis.value) / 2;
  return analysis.state.to_move === 0 ? rate : 1 - rate;
}

/** By how much the first player is expected to be ahead at the end; null if the network has no score head. */
export function firstLead({ lead, state }: Analysis): number | null {
  return lead === null ? null : state.to_move === 0 ? lead : -lead;
}

/** "Black +3.5 points" */
export function leadText(board: BoardShape, lead: number): string {
  const player = capital(board.players[lead >= 0 ? 0 : 1]);
  return `${player} +${Math.abs(lead).toFixed(1)} ${t(board.score_name)}`;
}

interface Chances {
  first: number; // win rate of the first player: from the search
  win: number; // these three for the first player: from the network
  draw: number;
  loss: number;
}

export function ValueBar(props: { board: BoardShape; analysis: Analysis | null; outcome: Outcome | null }): JSX.Element {
  const { board } = props;
  const chances = props.outcome ? settled(props.outcome) : props.analysis ? expected(props.analysis) : null;
  const { first, win, draw, loss } = chances ?? { first: 0.5, win: 0.5, draw: 0, loss: 0.5 };
  const names = board.players.map(capital) as [string, string];
  const words = props.outcome
    ? `${t("The game is over.")} ${stopped(outcomeSentence(props.outcome, board.players))}`
    : chances
      ? t("The search gives {first} {share}. The network expects {first} to win {win}, a draw {draw}, {second} to win {loss}.", {
          first: names[0],
          second: names[1],
          share: percent(first),
          win: percent(win),
          draw: percent(draw),
          loss: percent(loss),
        })
      : t("Not analysed yet.");
  const proven = props.analysis?.proven && !props.outcome ? t("Proven: {result}", { result: outcomeText(props.analysis.proven, board.players) }) : "";
  const lead = props.outcome || !props.analysis ? null : firstLead(props.analysis);
  return (
    <div
      class={`value ${playersClass(board)} ${chances ? "" : "unknown"}`}
      style={playersStyle(board)}
      role="img"
      aria-label={words}
      title={words}
    >
      <div class="value-ends number">
        <span>
          <StoneIcon board={board} player={0} /> {chances ? percent(first) : "–"}
        </span>
        <span class="soft small" data-lead={lead ?? undefined}>
          {proven || (lead === null ? "" : leadText(board, lead))}
        </span>
        <span>
          {chances ? percent(1 - first) : "–"} <StoneIcon board={board} player={1} />
        </span>
      </div>
      <div class="bar" data-win={win} data-draw={draw} data-loss={loss}>
        <span class="bar-first" style={{ width: `${100 * win}%` }} />
        <span class="bar-draw" style={{ width: `${100 * draw}%` }} />
        <span class="bar-second" style={{ width: `${100 * loss}%` }} />
        <i style={{ left: `${100 * first}%` }} />
      </div>
    </div>
  );
}

function expected(analysis: Analysis): Chances {
  const { win, draw, loss } = analysis;
  const first = firstWinRate(analysis);
  return analysis.state.to_move === 0 ? { first, win, draw, loss } : { first, win: loss, draw, loss: win };
}

function settled({ winner }: Outcome): Chances {
  if (winner === null) return { first: 0.5, win: 0, draw: 1, loss: 0 };
  return winner === 0 ? { first: 1, win: 1, draw: 0, loss: 0 } : { first: 0, win: 0, draw: 0, loss: 1 };
}
