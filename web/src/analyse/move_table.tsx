// The moves that the search looked at, the best first, with their lines.

import type { JSX } from "preact";
import { capital, percent, short } from "../controls";
import { t } from "../language";
import type { BoardShape, Move, State } from "../protocol";
import { lineText, moveText, widthOf } from "../moves";
import { sum } from "./search";

export const MOST_SHOWN = 8;
const LONGEST_LINE_SHOWN = 8; // moves

export function MoveTable(props: {
  board: BoardShape;
  state: State | null;
  moves: Move[];
  pointed: string | null;
  onPoint: (text: string | null) => void;
  onPlay: (text: string) => void;
}): JSX.Element {
  const { state } = props;
  const total = Math.max(1, sum(props.moves));
  const mover = state?.to_move ?? 0;
  const shown = props.moves.slice(0, MOST_SHOWN);
  const longest = Math.max(2, ...shown.map(({ notation }) => widthOf(moveText(notation, mover))));
  const rows = props.board.layout === "columns" ? Math.min(MOST_SHOWN, props.board.width) : MOST_SHOWN; // there is room for them before they are there
  const player = state ? capital(state.board.players[state.to_move]) : "";
  return (
    <div class="moves-room" style={{ "--rows": rows }}>
      {shown.length > 0 && (
        <table class="moves number" style={{ "--longest": longest }} onMouseLeave={() => props.onPoint(null)}>
          <thead>
            <tr>
              <th scope="col">{t("Move")}</th>
              <th scope="col" class="whose" title={t("How often {player} wins after this move, a draw counted as half", { player })}>
                {t("{player} wins", { player })}
              </th>
              <th scope="col">{t("Visits")}</th>
              <th scope="col" title={t("What the network thought of it before any search")}>
                {t("Prior")}
              </th>
              <th scope="col" class="line-column">
                {t("Line")}
              </th>
            </tr>
          </thead>
          <tbody>
            {shown.map((move, index) => (
              <tr
                class={`${index === 0 ? "best" : ""} ${props.pointed === move.text ? "pointed" : ""}`}
                data-move={move.text}
                data-visits={move.visits}
                data-value={move.value}
                data-prior={move.prior}
                onMouseEnter={() => props.onPoint(move.text)}
              >
                <th scope="row">
                  <button
                    type="button"
                    class="quiet"
                    aria-label={t("Play {move}", { move: moveText(move.notation, mover) })}
                    onFocus={() => props.onPoint(move.text)}
                    onBlur={() => props.onPoint(null)}
                    onClick={() => props.onPlay(move.text)}
                  >
                    {moveText(move.notation, mover)}
                  </button>
                </th>
                <td>{percent(move.win_rate)}</td>
                <td>
                  <span class="share" style={{ "--share": move.visits / total }}>
                    {short(move.visits)}
                  </span>
                </td>
                <td>
                  <span class="share prior" style={{ "--share": move.prior }}>
                    {percent(move.prior)}
                  </span>
                </td>
                <td class="line-column soft">{lineText(move.line, mover).slice(1, LONGEST_LINE_SHOWN).join(" ")}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </div>
  );
}
