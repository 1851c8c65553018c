// A chart: iterations, time or games to the right, a few lines, error bars where a figure has an error. The legend says
// the newest numbers, or those under the pointer. Lines differ in dash as well as in colour. Dragging zooms, a double
// press shows all again.

import type { JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { t } from "../language";

export interface Curve {
  name: string;
  xs: number[]; // rising
  values: (number | null)[];
  errors?: (number | null)[]; // half the height of the bar
}

interface Props {
  title: string;
  about: string;
  xName: string; // "iteration"
  curves: Curve[];
  format: (value: number) => string; // for the legend
  tick?: (value: number) => string; // for the axis, if that is another
  fromZero?: boolean;
  none: string; // said when there is nothing to draw
}

const HEIGHT = 170;
const DASHES = [[], [7, 4], [2, 4], [10, 3, 2, 3], [4, 2], [1, 3]];
export const COLOURS = ["--curve-1", "--curve-2", "--curve-3", "--curve-4", "--curve-5", "--curve-6"];

export function Chart(props: Props): JSX.Element {
  const { curves, format } = props;
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const isZoomed = useRef(false);
  const newest = useRef(props);
  newest.current = props;
  const [at, setAt] = useState<number | null>(null);
  const theme = useTheme();
  const isEmpty = !curves.some((curve) => curve.values.some((value) => value !== null));
  const data = useMemo(() => aligned(curves), [curves]);
  const xs = data[0] as number[];
  const names = curves.map(({ name }) => name).join("\n");

  useEffect(() => {
    const element = box.current;
    if (element === null || isEmpty) return undefined;
    const made = new uPlot(optionsOf(newest, element, setAt, isZoomed), data, element);
    plot.current = made;
    const observer = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height: HEIGHT }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      made.destroy();
      plot.current = null;
    };
  }, [theme, isEmpty, names, props.xName]);
  useEffect(() => {
    plot.current?.setData(data, !isZoomed.current);
    if (isZoomed.current) plot.current?.redraw();
  }, [data]);

  return (
    <figure class="card chart" data-points={curves[0]?.xs.length ?? 0} data-curves={curves.length}>
      <figcaption>
        <h3>{props.title}</h3>
        <p class="soft small">{props.about}</p>
      </figcaption>
      {isEmpty ? (
        <p class="chart-none soft">{props.none}</p>
      ) : (
        <>
          <ul class="chart-legend">
            {curves.map((curve, i) => {
              const values = data[i + 1] as (number | null)[];
              const where = lastKnown(values, at ?? values.length - 1);
              const value = values[where];
              const error = curve.errors?.[curve.xs.indexOf(xs[where] as number)];
              return (
                <li key={curve.name}>
                  <svg viewBox="0 0 24 8" aria-hidden="true">
                    <path d="M0 4h24" stroke={`var(${COLOURS[i % COLOURS.length]})`} stroke-dasharray={DASHES[i % DASHES.length]?.join(" ")} />
                  </svg>
                  {curve.name} <b>{value == null ? "–" : format(value)}</b>
                  {error != null && <span class="soft">± {format(error)}</span>}
                </li>
              );
            })}
            {at !== null && (
              <li class="soft">
                {props.xName} {rounded(xs[at] ?? 0)}
              </li>
            )}
          </ul>
          <div ref={box} class="chart-box" role="img" aria-label={spoken(props)} />
        </>
      )}
    </figure>
  );
}

/** All curves over the same places, which are those of any of them. */
function aligned(curves: Curve[]): uPlot.AlignedData {
  const xs = [...new Set(curves.flatMap((curve) => curve.xs))].sort((a, b) => a - b);
  const place = new Map(xs.map((x, i) => [x, i]));
  const columns = curves.map((curve) => {
    const column = new Array<number | null>(xs.length).fill(null);
    curve.xs.forEach((x, i) => (column[place.get(x) as number] = curve.values[i] ?? null));
    return column;
  });
  return [xs, ...columns];
}

function optionsOf(
  newest: { current: Props },
  element: HTMLElement,
  setAt: (at: number | null) => void,
  isZoomed: { current: boolean },
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
    cursor: {
      y: false,
      drag: { x: true, y: false },
      points: { size: 7 },
      bind: {
        dblclick: (_, __, handler) => (event) => {
          isZoomed.current = false;
          return handler(event);
        },
      },
    },
    scales: {
      x: { time: false, range: (_, low, high) => [low, high > low ? high : low + 1] },
      y: { range: (plot, low, high) => rangeOf(newest.current, plot, low, high) },
    },
    axes: [
      { ...axis, size: 26, gap: 4, values: (_, ticks) => ticks.map(rounded) },
      { ...axis, size: 46, gap: 4, values: (_, ticks) => ticks.map(newest.current.tick ?? newest.current.format) },
    ],
    series: [
      {},
      ...newest.current.curves.map((curve, i) => ({
        label: curve.name,
        stroke: colour(COLOURS[i % COLOURS.length] ?? "--ink"),
        width: 2,
        dash: DASHES[i % DASHES.length] ?? [],
        spanGaps: true,
        points: {
          show: (_: uPlot, __: number, from: number, to: number) => curve.errors !== undefined || to - from < 3,
          size: 6,
        },
      })),
    ],
    hooks: {
      setCursor: [(plot) => setAt(plot.cursor.idx ?? null)],
      setSelect: [(plot) => void (isZoomed.current ||= plot.select.width > 0)],
      draw: [(plot) => drawErrors(plot, newest.current.curves, colour)],
    },
  };
}

/** Room for the error bars that are in sight, and a little more. */
function rangeOf(props: Props, plot: uPlot, low: number, high: number): [number, number] {
  let [least, most] = [low, high];
  const [min, max] = [plot.scales["x"]?.min ?? -Infinity, plot.scales["x"]?.max ?? Infinity];
  for (const curve of props.curves) {
    curve.values.forEach((value, i) => {
      const x = curve.xs[i] as number;
      if (value === null || x < min || x > max) return;
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
    ctx.rect(plot.bbox.left, plot.bbox.top, plot.bbox.width, plot.bbox.height);
    ctx.clip();
    ctx.beginPath();
    ctx.strokeStyle = colour(COLOURS[i % COLOURS.length] ?? "--ink");
    ctx.lineWidth = 1.5 * devicePixelRatio;
    curve.values.forEach((value, k) => {
      const error = curve.errors?.[k];
      if (value === null || error == null) return;
      const x = plot.valToPos(curve.xs[k] as number, "x", true);
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

function spoken({ title, xName, curves, format }: Props): string {
  const figures = curves.map((curve) => {
    const value = curve.values[lastKnown(curve.values, curve.values.length - 1)];
    return `${curve.name} ${value == null ? t("not known") : format(value)}`;
  });
  return `${t("{title} at {axis} {number}", { title, axis: xName, number: rounded(curves[0]?.xs.at(-1) ?? 0) })}: ${figures.join(", ")}`;
}

/** At this place or before it. */
function lastKnown(values: (number | null)[], at: number): number {
  let last = at;
  while (last > 0 && values[last] == null) last--;
  return last;
}

function rounded(value: number): string {
  return value >= 10_000 ? `${Number((value / 1000).toPrecision(3))}k` : String(Number(value.toPrecision(4)));
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
