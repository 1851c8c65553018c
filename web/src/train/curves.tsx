// The charts of a run, or of several laid over each other: over iterations, time or games, smoothed if wanted.

import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { Segments } from "../controls";
import { t } from "../language";
import type { RunDetail } from "../protocol";
import { Chart, type Curve } from "./chart";
import { type Point, pointsOf } from "./runs";

export type Axis = "iterations" | "time" | "games";

interface Figure {
  name: string;
  of: (point: Point) => number | null | undefined;
  error?: (point: Point) => number | null | undefined;
}

interface ChartKind {
  title: string;
  about: string;
  figures: [Figure, ...Figure[]]; // when runs are compared, the first alone
  format: (value: number) => string;
  tick?: (value: number) => string;
  fromZero?: boolean;
  ofRecords?: boolean; // only runs that learn from records have it
}

const CHARTS: ChartKind[] = [
  {
    title: t("Strength"),
    about: t("Elo from matches, with 95 % error bars"),
    figures: [{ name: "Elo", of: (p) => p.rating?.elo, error: (p) => p.rating?.error }],
    format: (value) => value.toFixed(0),
  },
  {
    title: t("Losses"),
    about: t("How far the network is from the search (policy) and from the results (value)"),
    figures: [
      { name: t("policy"), of: (p) => learned(p)?.policy_loss || null }, // 0: this way of learning has none
      { name: t("value"), of: (p) => learned(p)?.value_loss },
      { name: t("guessing the average"), of: (p) => learned(p)?.value_loss_of_mean },
    ],
    format: digits,
    tick: short,
  },
  {
    title: t("Moves of the records"),
    about: t("Share of the positions kept aside in which the recorded move is the network's first choice, and among its first five"),
    figures: [
      { name: t("first choice"), of: (p) => p.imitation?.validation.top1 },
      { name: t("first five"), of: (p) => p.imitation?.validation.top5 },
    ],
    format: (value) => `${Math.round(100 * value)} %`,
    ofRecords: true,
  },
  {
    title: t("Game length"),
    about: t("Moves, mean of the games of an iteration"),
    figures: [{ name: t("moves"), of: (p) => played(p)?.mean_length }],
    format: digits,
    tick: short,
  },
  {
    title: t("Uncertainty"),
    about: t("Entropy of the network's moves and of the search's, in nats: 0 is certain"),
    figures: [
      { name: t("network"), of: (p) => played(p)?.prior_entropy || null },
      { name: t("search"), of: (p) => played(p)?.target_entropy || null },
    ],
    format: digits,
    tick: short,
    fromZero: true,
  },
  {
    title: t("How games end"),
    about: t("Share of the points that the first player takes, and of draws"),
    figures: [
      { name: t("first player's score"), of: (p) => played(p)?.first_player_score },
      { name: t("drawn"), of: (p) => played(p)?.draws },
    ],
    format: (value) => `${Math.round(100 * value)} %`,
    fromZero: true,
  },
  {
    title: t("Speed"),
    about: t("Positions that the network evaluates in self-play"),
    figures: [{ name: t("positions a second"), of: (p) => (played(p) ? perSecond(p) : null) }],
    format: thousands,
    fromZero: true,
  },
];

const AXES: Record<Axis, { name: string; xs: (points: Point[]) => number[] }> = {
  iterations: { name: t("iteration"), xs: (points) => points.map((point) => point.iteration) },
  time: { name: t("minute"), xs: (points) => points.map((point) => point.seconds / 60) },
  games: {
    name: t("games"),
    xs: (points) => {
      let sum = 0;
      return points.map((point) => (sum += point.self_play.games));
    },
  },
};

export function Curves(props: {
  run: RunDetail;
  others: RunDetail[];
  axis: Axis;
  smoothing: number; // 0: none, towards 1: more
  onAxis: (axis: Axis) => void;
  onSmoothing: (smoothing: number) => void;
}): JSX.Element {
  const { run, others, axis, smoothing } = props;
  const all = [run, ...others];
  const key = all.map((one) => `${one.name} ${one.points.length}`).join("\n");
  const charts = useMemo(
    () => CHARTS.map((kind) => ({ kind, curves: curvesOf(kind, all, axis, smoothing) })).filter(({ kind, curves }) => isShown(kind, curves, all)),
    [key, run.points, run.running, axis, smoothing],
  );
  return (
    <>
      <div class="chart-controls">
        <Segments<Axis>
          label={t("Horizontal axis")}
          value={axis}
          onChange={props.onAxis}
          options={[
            { value: "iterations", content: t("Iterations") },
            { value: "time", content: t("Time") },
            { value: "games", content: t("Games") },
          ]}
        />
        <label class="smoothing">
          <span class="small">
            {t("Smoothing")} <b class="number">{smoothing.toFixed(2)}</b>
          </span>
          <input
            type="range"
            min={0}
            max={0.95}
            step={0.05}
            value={smoothing}
            onInput={(event) => props.onSmoothing(event.currentTarget.valueAsNumber)}
          />
        </label>
        <button type="button" class="quiet" disabled={!run.points.length} onClick={() => downloadFigures(all)}>
          {t("Download figures")}
        </button>
        <span class="small soft">{t("Drag in a chart to zoom, press twice to see all.")}</span>
      </div>
      <div class="charts">
        {charts.map(({ kind, curves }) => (
          <Chart
            key={kind.title}
            title={kind.title}
            about={kind.about}
            xName={AXES[axis].name}
            curves={curves}
            format={kind.format}
            none={whyNone(kind, run)}
            {...(kind.tick ? { tick: kind.tick } : {})}
            {...(kind.fromZero ? { fromZero: true } : {})}
          />
        ))}
      </div>
    </>
  );
}

function curvesOf(kind: ChartKind, runs: RunDetail[], axis: Axis, smoothing: number): Curve[] {
  const figures = runs.length > 1 ? [kind.figures[0]] : kind.figures;
  return runs.flatMap((run) => {
    const points = pointsOf(run);
    const xs = AXES[axis].xs(points);
    return figures.map((figure): Curve => {
      const name = runs.length > 1 ? run.name : figure.name;
      const values = points.map((point) => figure.of(point) ?? null);
      const curve = { name, xs, values: figure.error ? values : smoothed(values, smoothing) };
      return figure.error ? { ...curve, errors: points.map((point) => figure.error?.(point) ?? null) } : curve;
    });
  });
}

/** Each value a mean of itself and those before it, older ones counting less and less. */
function smoothed(values: (number | null)[], smoothing: number): (number | null)[] {
  if (smoothing === 0) return values;
  let [sum, weight] = [0, 0];
  return values.map((value) => {
    if (value === null) return null;
    sum = smoothing * sum + (1 - smoothing) * value;
    weight = smoothing * weight + (1 - smoothing);
    return sum / weight;
  });
}

/** As a table that any program reads: a line for each iteration of each run. */
function downloadFigures(runs: RunDetail[]): void {
  const figures = CHARTS.flatMap((kind) => kind.figures.map((figure) => ({ ...figure, name: `${kind.title}: ${figure.name}` })));
  const cell = (value: string | number | null | undefined): string => (typeof value === "string" ? `"${value.replaceAll('"', '""')}"` : String(value ?? ""));
  const head = ["run", "iteration", "seconds", ...figures.map(({ name }) => name)];
  const rows = runs.flatMap((run) =>
    pointsOf(run).map((point) => [run.name, point.iteration, point.seconds, ...figures.map((figure) => figure.of(point))]),
  );
  const text = [head, ...rows].map((row) => row.map(cell).join(",")).join("\n");
  const address = URL.createObjectURL(new Blob([`${text}\n`], { type: "text/csv" }));
  Object.assign(document.createElement("a"), { href: address, download: `${runs.map(({ name }) => name).join("-")}.csv` }).click();
  URL.revokeObjectURL(address);
}

/** A run that learns from records plays no games. */
export function played({ self_play }: Point): Point["self_play"] | null {
  return self_play.games > 0 ? self_play : null;
}

/** An iteration that only fills the window learns nothing and has no loss. */
function learned({ learner }: Point): Point["learner"] | null {
  return learner.steps > 0 ? learner : null;
}

/** Not every way of learning has every figure. Strength says why there is none, and a run under way may get the others. */
function isShown(kind: ChartKind, curves: Curve[], runs: RunDetail[]): boolean {
  const isKnown = curves.some(({ values }) => values.some((value) => value !== null));
  return isKnown || kind === CHARTS[0] || (kind.ofRecords !== true && runs.some((run) => run.running || !run.points.length));
}

/** Said in the place of figures that nobody knows. */
function whyNone(kind: ChartKind, run: RunDetail): string {
  if (!run.points.length) return t("The first iteration is under way.");
  return kind !== CHARTS[0] || isMeasured(run) ? t("Not measured so far.") : t("This run does not measure its strength: arena.every is 0.");
}

function isMeasured(run: RunDetail): boolean {
  const arena = run.config["arena"] as { every?: number } | undefined;
  return arena?.every !== 0;
}

export function perSecond(point: Point): number {
  return point.self_play.evaluations / Math.max(point.self_play.seconds, 1e-9);
}

function digits(value: number): string {
  return Math.abs(value) < 1000 ? value.toPrecision(3) : value.toFixed(0);
}

function short(value: number): string {
  return String(Number(value.toPrecision(3)));
}

export function thousands(value: number): string {
  return Math.abs(value) >= 1000 ? `${short(value / 1000)}k` : short(Math.round(value));
}
