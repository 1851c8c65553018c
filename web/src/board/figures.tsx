// The pieces of chess, drawn by us: outlines in a square of 100, one light and one dark set.

import type { JSX } from "preact";

interface Figure {
  body: string; // filled outlines
  lines: string; // drawn on top
}

const BASE = "M28 84V78Q28 74 33 74H67Q72 74 72 78V84Z";
const FOOT = "M37 62H63L67 74H33Z";

const FIGURES: Record<string, Figure> = {
  pawn: { body: `M50 20A12 12 0 0 1 58 41Q60 44 58 47Q64 58 66 74H34Q36 58 42 47Q40 44 42 41A12 12 0 0 1 50 20Z${BASE}`, lines: "M42 47H58" },
  rook: { body: `M31 36V19H41V25H46V19H54V25H59V19H69V36L63 42V62L67 74H33L37 62V42Z${BASE}`, lines: "M37 42H63M37 62H63" },
  bishop: {
    body: `M50 15A5 5 0 0 1 53 24Q68 36 64 50Q63 55 59 58V62H41V58Q37 55 36 50Q32 36 47 24A5 5 0 0 1 50 15Z${FOOT}${BASE}`,
    lines: "M54 30L46 44M40 58H60",
  },
  knight: {
    body: `M34 74Q33 60 43 51Q48 47 47 43Q40 49 33 51Q27 53 25 47Q24 43 28 38L38 26Q40 19 45 14L51 21Q70 25 71 50Q72 63 68 74Z${BASE}`,
    lines: "M42 31L43 32M30 45L31 45M57 27Q66 36 65 56",
  },
  queen: {
    body: `M50 14A5 5 0 0 1 53 23L59 42L68 28A5 5 0 1 1 75 33L66 62H34L25 33A5 5 0 1 1 32 28L41 42L47 23A5 5 0 0 1 50 14Z${FOOT}${BASE}`,
    lines: "M35 58Q50 53 65 58",
  },
  king: {
    body: `M47 10H53V16H59V22H53V30Q66 24 73 34Q79 45 65 62H35Q21 45 27 34Q34 24 47 30V22H41V16H47Z${FOOT}${BASE}`,
    lines: "M50 34V58M36 60Q50 54 64 60",
  },
};

export function isFigure(name: string): boolean {
  return name in FIGURES;
}

/** A piece with its middle at x and y; `tone` 0 is the dark set. */
export function Figure(props: { name: string; tone: 0 | 1; x: number; y: number }): JSX.Element | null {
  const figure = FIGURES[props.name];
  if (!figure) return null;
  return (
    <g class={`figure figure-${props.tone}`} data-figure={props.name} transform={`translate(${props.x} ${props.y}) scale(1.12) translate(-50 -49)`}>
      <path class="figure-body" d={figure.body} />
      <path class="figure-lines" d={figure.lines} />
    </g>
  );
}
