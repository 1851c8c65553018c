// The win rate of the first player over the game. A press jumps to that move; for the keyboard there is a slider below.

import type { JSX } from "preact";
import { playersClass, playersStyle } from "./board/pieces";
import { capital, percent } from "./controls";
import type { BoardShape } from "./protocol";

const [WIDTH, HEIGHT] = [600, 130];

export function WinGraph(props: {
  board: BoardShape;
  values: (number | undefined)[]; // after 0, 1, 2 .. moves; 0 to 1
  at: number; // moves made
  onJump: (moves: number) => void;
}): JSX.Element {
  const { values, at } = props;
  const last = Math.max(1, values.length - 1);
  const x = (ply: number): number => (WIDTH * ply) / last;
  const y = (value: number): number => HEIGHT * (1 - value);
  const known = values.flatMap((value, ply) => (value === undefined || Number.isNaN(value) ? [] : [{ value, ply }]));
  const path = known.map(({ value, ply }, index) => `${index ? "L" : "M"}${x(ply).toFixed(1)} ${y(value).toFixed(1)}`).join("");
  const [from, to] = [known[0], known.at(-1)];
  const area = from && to ? `${path}L${x(to.ply)} ${HEIGHT}L${x(from.ply)} ${HEIGHT}Z` : "";
  const here = known.find(({ ply }) => ply === at);
  const jump = (event: JSX.TargetedMouseEvent<SVGSVGElement>): void => {
    const box = event.currentTarget.getBoundingClientRect();
    props.onJump(Math.max(0, Math.min(values.length - 1, Math.round((last * (event.clientX - box.left)) / box.width))));
  };
  const first = capital(props.board.players[0]);
  return (
    <figure class={`graph ${playersClass(props.board)}`} style={playersStyle(props.board)}>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`Win rate of ${first} over the game${here ? `; here ${percent(here.value)}` : ""}`}
        onClick={jump}
      >
        <rect class="graph-ground" width={WIDTH} height={HEIGHT} />
        <path class="graph-area" d={area} />
        <path class="graph-middle" d={`M0 ${HEIGHT / 2}H${WIDTH}`} />
        <path class="graph-line" d={path} data-known={known.length} />
        <path class="graph-here" d={`M${x(at)} 0V${HEIGHT}`} />
      </svg>
      <input
        type="range"
        min={0}
        max={values.length - 1}
        value={at}
        disabled={values.length < 2}
        aria-label="Move shown"
        aria-valuetext={`after ${at} of ${values.length - 1} moves`}
        onInput={(event) => props.onJump(event.currentTarget.valueAsNumber)}
      />
    </figure>
  );
}
