// Who is winning: the network's win, draw and loss as a bar, and the search's verdict as a mark on it. The first player
// is always on the left.

import type { JSX } from "preact";
import { StoneIcon, playersClass } from "./board";
import { capital, percent } from "./controls";
import type { Analysis, BoardShape } from "./protocol";

/** How often the first player wins, a draw counted as half; from the search. */
export function firstWinRate(analysis: Analysis): number {
  const rate = (1 + analysis.value) / 2;
  return analysis.state.to_move === 0 ? rate : 1 - rate;
}

export function ValueBar({ board, analysis }: { board: BoardShape; analysis: Analysis | null }): JSX.Element {
  const first = analysis ? firstWinRate(analysis) : 0.5;
  const mine = analysis?.state.to_move === 0;
  const [win, draw, loss] = analysis
    ? [mine ? analysis.win : analysis.loss, analysis.draw, mine ? analysis.loss : analysis.win]
    : [0.5, 0, 0.5];
  const names = board.players.map(capital);
  const words = analysis
    ? `The search gives ${names[0]} ${percent(first)}. The network expects ${names[0]} to win ${percent(win)}, ` +
      `a draw ${percent(draw)}, ${names[1]} to win ${percent(loss)}.`
    : "Not analysed yet.";
  return (
    <div class={`value ${playersClass(board)} ${analysis ? "" : "unknown"}`} role="img" aria-label={words} title={words}>
      <div class="value-ends number">
        <span>
          <StoneIcon board={board} player={0} /> {analysis ? percent(first) : "–"}
        </span>
        <span class="soft small">{analysis?.proven ? `Proven: ${analysis.proven.text}` : ""}</span>
        <span>
          {analysis ? percent(1 - first) : "–"} <StoneIcon board={board} player={1} />
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
