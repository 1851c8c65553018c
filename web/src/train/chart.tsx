// A chart of a run: iterations to the right, a few curves, error bars where a figure has an error. The legend says the
// newest numbers, or those under the pointer. Curves differ in dash as well as in colour.

import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";

export interface Curve {
  name: string;
  values: (number | null)[];
  errors?: (number | null)[]; // half the height of the bar
}

interface Props {
  title: string;
  about: string;
  iterations: number[];
  curves: Curve[];
  format: (value: number) => string; // for the legend
  tick?: (value: number) => string; // for the axis, if that is another
  fromZero?: boolean;
  none?: string; // said when there is nothing to draw
}

const HEIGHT = 170;
const DASHES = [[], [7, 4], [2, 4]];
export const COLOURS = ["--curve-1", "--curve-2", "--curve-3"];

export function Chart(props: Props): JSX.Element {
  const { iterations, curves, format } = props;
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const newest = useRef(props);
  newest.current = props;
  const [at, setAt] = useState<number | null>(null);
  const theme = useTheme();
  const isEmpty = !curves.some((curve) => curve.values.some((value) => value !== null));

  useEffect(() => {
    const element = box.current;
    if (element === null || isEmpty) return undefined;
    const made = new uPlot(optionsOf(newest, element, setAt), dataOf(newest.current), element);
    plot.current = made;
    const observer = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height: HEIGHT }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      made.destroy();
      plot.current = null;
    };
  }, [theme, isEmpty]);
  useEffect(() => plot.current?.setData(dataOf(props)), [iterations, curves]);

  const shown = at ?? iterations.length - 1;
  return (
    <figure class="card chart" data-points={iterations.length}>
      <figcaption>
        <h3>{props.title}</h3>
        <p class="soft small">{props.about}</p>
      </figcaption>
      {isEmpty ? (
        <p class="chart-none soft">{props.none ?? "The first iteration is under way."}</p>
      ) : (
        <>
          <ul class="chart-legend">
            {curves.map((curve, i) => {
              const where = at ?? lastKnown(curve.values);
              const value = curve.values[where];
              const error = curve.errors?.[where];
              return (
                <li key={curve.name}>
                  <svg viewBox="0 0 24 8" aria-hidden="true">
                    <path d="M0 4h24" stroke={`var(${COLOURS[i]})`} stroke-dasharray={DASHES[i]?.join(" ")} />
                  </svg>
                  {curve.name} <b>{value == null ? "–" : format(value)}</b>
                  {error != null && <span class="soft">± {format(error)}</span>}
                </li>
              );
            })}
            {at !== null && <li class="soft">iteration {iterations[shown]}</li>}
          </ul>
          <div ref={box} class="chart-box" role="img" aria-label={spoken(props)} />
        </>
      )}
    </figure>
  );
}

function dataOf({ iterations, curves }: Props): uPlot.AlignedData {
  return [iterations, ...curves.map((curve) => curve.values)];
}

function optionsOf(
  newest: { current: Props },
  element: HTMLElement,
  setAt: (at: number | null) => void,
): uPlot.Options {
  const colour = (name: string): string => getComputedStyle(element).getPropertyValue(name).trim();
  const axis: uPlot.Axis = {
    stroke: colour("--soft"),
    font: "12px system-ui, sans-serif",
    grid: { stroke: colour("--line"), width: 1 },
    ticks: { show: false },
  };
  return {
    width: element.clientWidth,
    height: HEIGHT,
    padding: [8, 8, 0, 0],
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { size: 7 } },
    scales: {
      x: { time: false, range: (_, low, high) => [low, Math.max(high, low + 1)] },
      y: { range: (_, low, high) => rangeOf(newest.current, low, high) },
    },
    axes: [
      { ...axis, size: 26, gap: 4, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000] },
      { ...axis, size: 46, gap: 4, values: (_, ticks) => ticks.map(newest.current.tick ?? newest.current.format) },
    ],
    series: [
      {},
      ...newest.current.curves.map((curve, i) => ({
        label: curve.name,
        stroke: colour(COLOURS[i] ?? "--ink"),
        width: 2,
        dash: DASHES[i] ?? [],
        spanGaps: true,
        points: {
          show: (_: uPlot, __: number, from: number, to: number) => curve.errors !== undefined || to - from < 3,
          size: 6,
        },
      })),
    ],
    hooks: {
      setCursor: [(plot) => setAt(plot.cursor.idx ?? null)],
      draw: [(plot) => drawErrors(plot, newest.current.curves, colour)],
    },
  };
}

/** Room for the error bars and a little more. */
function rangeOf(props: Props, low: number, high: number): [number, number] {
  let [least, most] = [low, high];
  for (const curve of props.curves) {
    curve.values.forEach((value, i) => {
      if (value === null) return;
      least = Math.min(least, value - (curve.errors?.[i] ?? 0));
      most = Math.max(most, value + (curve.errors?.[i] ?? 0));
    });
  }
  if (props.fromZero) least = Math.min(0, least);
  const room = (most - least || Math.abs(most) || 1) * 0.08;
  return [props.fromZero && least === 0 ? 0 : least - room, most + room];
}

function drawErrors(plot: uPlot, curves: Curve[], colour: (name: string) => string): void {
  const { ctx } = plot;
  const cap = 4 * devicePixelRatio;
  curves.forEach((curve, i) => {
    if (!curve.errors) return;
    ctx.save();
    ctx.beginPath();
    ctx.strokeStyle = colour(COLOURS[i] ?? "--ink");
    ctx.lineWidth = 1.5 * devicePixelRatio;
    curve.values.forEach((value, k) => {
      const error = curve.errors?.[k];
      if (value === null || error == null) return;
      const x = plot.valToPos(plot.data[0][k] as number, "x", true);
      const [top, bottom] = [plot.valToPos(value + error, "y", true), plot.valToPos(value - error, "y", true)];
      ctx.moveTo(x, top);
      ctx.lineTo(x, bottom);
      for (const y of [top, bottom]) {
        ctx.moveTo(x - cap, y);
        ctx.lineTo(x + cap, y);
      }
    });
    ctx.stroke();
    ctx.restore();
  });
}

function spoken({ title, iterations, curves, format }: Props): string {
  const figures = curves.map((curve) => {
    const value = curve.values[lastKnown(curve.values)];
    return `${curve.name} ${value == null ? "not known" : format(value)}`;
  });
  return `${title} at iteration ${iterations.at(-1)}: ${figures.join(", ")}`;
}

function lastKnown(values: (number | null)[]): number {
  let last = values.length - 1;
  while (last > 0 && values[last] === null) last--;
  return last;
}

/** Canvases do not follow the style sheet by themselves. */
function useTheme(): string {
  const [theme, setTheme] = useState(document.documentElement.dataset["theme"] ?? "");
  useEffect(() => {
    const observer = new MutationObserver(() => setTheme(document.documentElement.dataset["theme"] ?? ""));
    observer.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    return () => observer.disconnect();
  }, []);
  return theme;
}
