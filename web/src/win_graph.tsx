// The win rate of the first player over the game, with its mistakes as dots. Pointing at it says the numbers, a press
// jumps there; for the keyboard there is a slider below.

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { playersClass, playersStyle } from "./board/pieces";
import { capital, percent } from "./controls";
import { t } from "./language";
import type { BoardShape } from "./protocol";
import { leadText } from "./value_bar";

const [WIDTH, HEIGHT] = [600, 150];

export interface GraphMark {
  ply: number; // moves before the one that is marked
  kind: string; // a class of its dot
}

export function WinGraph(props: {
  board: BoardShape;
  line: string[];
  values: (number | undefined)[]; // after 0, 1, 2 .. moves; 0 to 1
  leads?: (number | null | undefined)[]; // of the first player at the end, where the network has a score head
  at: number; // moves made
  marks?: GraphMark[];
  onJump: (moves: number) => void;
}): JSX.Element {
  const { values, at, line } = props;
  const [pointed, setPointed] = useState<number | null>(null);
  const last = Math.max(1, values.length - 1);
  const x = (ply: number): number => (WIDTH * ply) / last;
  const y = (value: number): number => HEIGHT * (1 - value);
  const known = values.flatMap((value, ply) => (value === undefined || Number.isNaN(value) ? [] : [{ value, ply }]));
  const path = known.map(({ value, ply }, index) => `${index ? "L" : "M"}${x(ply).toFixed(1)} ${y(value).toFixed(1)}`).join("");
  const [from, to] = [known[0], known.at(-1)];
  const area = from && to ? `${path}L${x(to.ply)} ${HEIGHT}L${x(from.ply)} ${HEIGHT}Z` : "";
  const here = known.find(({ ply }) => ply === at);
  const plyAt = (event: JSX.TargetedMouseEvent<HTMLDivElement>): number => {
    const box = event.currentTarget.getBoundingClientRect();
    return Math.max(0, Math.min(values.length - 1, Math.round((last * (event.clientX - box.left)) / box.width)));
  };
  const first = capital(props.board.players[0]);
  const value = pointed === null ? undefined : values[pointed];
  const lead = pointed === null ? undefined : props.leads?.[pointed];
  return (
    <figure class={`graph ${playersClass(props.board)}`} style={playersStyle(props.board)}>
      <div
        class="graph-box"
        onClick={(event) => props.onJump(plyAt(event))}
        onMouseMove={(event) => setPointed(plyAt(event))}
        onMouseLeave={() => setPointed(null)}
      >
        <svg
          viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={`${t("Win rate of {player} over the game", { player: first })}${here ? `; ${t("here {share}", { share: percent(here.value) })}` : ""}`}
        >
          <rect class="graph-ground" width={WIDTH} height={HEIGHT} />
          <path class="graph-area" d={area} />
          <path class="graph-middle" d={`M0 ${HEIGHT / 2}H${WIDTH}`} />
          <path class="graph-line" d={path} data-known={known.length} />
          {pointed !== null && <path class="graph-pointed" d={`M${x(pointed)} 0V${HEIGHT}`} />}
          <path class="graph-here" d={`M${x(at)} 0V${HEIGHT}`} />
        </svg>
        {props.marks?.map(({ ply, kind }) => {
          const after = values[ply + 1];
          if (after === undefined) return null;
          return <i class={`graph-mark ${kind}`} data-mark={ply} style={{ left: `${(100 * (ply + 1)) / last}%`, top: `${100 * (1 - after)}%` }} />;
        })}
        {pointed !== null && (
          <span class="graph-words number" style={{ left: `${Math.min(75, Math.max(25, (100 * pointed) / last))}%` }}>
            {pointed === 0 ? t("start") : `${pointed}. ${line[pointed - 1] ?? ""}`}
            {value !== undefined && !Number.isNaN(value) && ` · ${first} ${percent(value)}`}
            {lead != null && ` · ${leadText(props.board, lead)}`}
          </span>
        )}
      </div>
      <input
        type="range"
        min={0}
        max={values.length - 1}
        value={at}
        disabled={values.length < 2}
        aria-label={t("Move shown")}
        aria-valuetext={t("after {number} of {all} moves", { number: at, all: values.length - 1 })}
        onInput={(event) => props.onJump(event.currentTarget.valueAsNumber)}
      />
    </figure>
  );
}
