// The moves of a game that is played.

import type { JSX } from "preact";
import { useInSight } from "../in_sight";
import { t } from "../language";

/** The one shown stays in sight, and a press shows the position after a move. */
export function Moves(props: { line: string[]; at: number; onStep: (at: number) => void }): JSX.Element {
  const box = useInSight<HTMLOListElement>(`${props.at} ${props.line.length}`);
  return (
    <section aria-label={t("Moves so far")} class="move-room">
      <ol class="move-list number" ref={box}>
        {props.line.map((text, ply) => (
          <li>
            {ply % 2 === 0 && <span class="soft">{ply / 2 + 1}.</span>}
            <button
              type="button"
              class="quiet"
              aria-current={ply + 1 === props.at ? "step" : undefined}
              onClick={() => props.onStep(ply + 1)}
            >
              {text}
            </button>
          </li>
        ))}
      </ol>
    </section>
  );
}
