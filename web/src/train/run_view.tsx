// One run: how far it is, what is wrong with it in words, its curves, its newest games.

import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { App } from "../app";
import type { RunDetail, RunGame } from "../protocol";
import { Chart } from "./chart";
import { Replay } from "./replay";
import { duration, findingsOf, pointsOf, type Point } from "./runs";

interface Props {
  app: App;
  run: RunDetail;
  games: RunGame[];
  isWaiting: boolean; // for the server to resume it
  isStopping: boolean;
  onStop: () => void;
  onResume: () => void;
}

export function RunView(props: Props): JSX.Element {
  const { app, run } = props;
  const points = pointsOf(run);
  const newest = points.at(-1);
  const title = app.games.find((game) => game.name === run.game)?.title ?? run.game;
  const isDone = run.iterations !== null && run.iteration >= run.iterations;
  return (
    <section class="run" aria-label={`Run ${run.name}`}>
      <header class="run-head">
        <div>
          <h1>{title}</h1>
          <p class="soft">
            {run.name} · <Status run={run} isDone={isDone} newest={newest} />
          </p>
        </div>
        <div class="buttons">
          {run.running && (
            <button type="button" disabled={props.isStopping} onClick={props.onStop}>
              {props.isStopping ? "Stopping after this iteration …" : "Stop"}
            </button>
          )}
          {!run.running && !isDone && (
            <button type="button" class="primary" disabled={props.isWaiting} onClick={props.onResume}>
              Resume
            </button>
          )}
        </div>
      </header>
      <Progress run={run} />
      {run.problem && (
        <p class="card run-problem" role="alert">
          The run ended with an error: {run.problem}
        </p>
      )}
      {newest && <Tiles points={points} newest={newest} />}
      {newest && <Findings run={run} />}
      <Curves points={points} isMeasured={isMeasured(run)} />
      <Replay key={run.name} app={app} run={run.name} games={props.games} />
    </section>
  );
}

function Status({ run, isDone, newest }: { run: RunDetail; isDone: boolean; newest: Point | undefined }): JSX.Element {
  if (isDone) return <>finished</>;
  if (!run.running) return <>stopped; it can go on where it is</>;
  if (!newest) return <>starting: the first games are being played</>;
  return <>running, about {duration(newest.seconds_left)} left</>;
}

function Progress({ run }: { run: RunDetail }): JSX.Element {
  const total = run.iterations ?? run.iteration;
  return (
    <div class="run-progress">
      <progress max={Math.max(1, total)} value={run.iteration} aria-label="Progress of the run" />
      <span class="small number">
        iteration {run.iteration}
        {run.iterations !== null && ` of ${run.iterations}`}
      </span>
    </div>
  );
}

function Tiles({ points, newest }: { points: Point[]; newest: Point }): JSX.Element {
  const rated = points.filter((point) => point.rating).at(-1)?.rating;
  const sum = (figure: (point: Point) => number): number => points.reduce((total, point) => total + figure(point), 0);
  const tiles = [
    {
      name: "Elo",
      figure: rated ? rated.elo.toFixed(0) : "–",
      about: rated ? `± ${rated.error.toFixed(0)}; ${rated.zero} has 0` : "not measured yet",
    },
    {
      name: "Games",
      figure: whole(sum((point) => point.self_play.games)),
      about: `${whole(sum((point) => point.self_play.positions))} positions`,
    },
    { name: "Time", figure: duration(newest.seconds), about: "so far" },
    {
      name: "Speed",
      figure: thousands(perSecond(newest, newest.self_play.evaluations)),
      about: "positions evaluated a second",
    },
  ];
  return (
    <dl class="tiles">
      {tiles.map((tile) => (
        <div key={tile.name} class="card">
          <dt>{tile.name}</dt>
          <dd>
            <b>{tile.figure}</b>
            <span class="soft small">{tile.about}</span>
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Findings({ run }: { run: RunDetail }): JSX.Element {
  const findings = findingsOf(run);
  return (
    <section class="card findings" aria-label="Diagnosis">
      <h3>Diagnosis</h3>
      {findings.length === 0 ? (
        <p class="finding-fine">The figures of this run show nothing wrong.</p>
      ) : (
        <ul>
          {findings.map((finding) => (
            <li key={finding.name}>
              <b>{sentence(finding.name)}</b> {sentence(finding.cause)}{" "}
              <span class="soft">What helps: {finding.remedy}.</span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function Curves({ points, isMeasured }: { points: Point[]; isMeasured: boolean }): JSX.Element {
  const iterations = useMemo(() => points.map((point) => point.iteration), [points]);
  const of = (figure: (point: Point) => number | null | undefined): (number | null)[] =>
    points.map((point) => figure(point) ?? null);
  const curves = useMemo(
    () => ({
      strength: [{ name: "Elo", values: of((p) => p.rating?.elo), errors: of((p) => p.rating?.error) }],
      losses: [
        { name: "policy", values: of((p) => p.learner.policy_loss) },
        { name: "value", values: of((p) => p.learner.value_loss) },
        { name: "guessing the average", values: of((p) => p.learner.value_loss_of_mean) },
      ],
      length: [{ name: "moves", values: of((p) => p.self_play.mean_length) }],
      entropy: [
        { name: "network", values: of((p) => p.self_play.prior_entropy) },
        { name: "search", values: of((p) => p.self_play.target_entropy) },
      ],
      ends: [
        { name: "first player's score", values: of((p) => p.self_play.first_player_score) },
        { name: "drawn", values: of((p) => p.self_play.draws) },
      ],
      speed: [{ name: "positions a second", values: of((p) => perSecond(p, p.self_play.evaluations)) }],
    }),
    [points],
  );
  return (
    <div class="charts">
      <Chart
        title="Strength"
        about="Elo from matches, with 95 % error bars"
        iterations={iterations}
        curves={curves.strength}
        format={(value) => value.toFixed(0)}
        none={isMeasured ? "Not measured so far." : "This run does not measure its strength: arena.every is 0."}
      />
      <Chart
        title="Losses"
        about="How far the network is from the search (policy) and from the results (value)"
        iterations={iterations}
        curves={curves.losses}
        format={digits}
        tick={short}
      />
      <Chart
        title="Game length"
        about="Moves, mean of the games of an iteration"
        iterations={iterations}
        curves={curves.length}
        format={digits}
        tick={short}
      />
      <Chart
        title="Uncertainty"
        about="Entropy of the network's moves and of the search's, in nats: 0 is certain"
        iterations={iterations}
        curves={curves.entropy}
        format={digits}
        tick={short}
        fromZero
      />
      <Chart
        title="How games end"
        about="Share of the points that the first player takes, and of draws"
        iterations={iterations}
        curves={curves.ends}
        format={(value) => `${Math.round(100 * value)} %`}
        fromZero
      />
      <Chart
        title="Speed"
        about="Positions that the network evaluates in self-play"
        iterations={iterations}
        curves={curves.speed}
        format={thousands}
        fromZero
      />
    </div>
  );
}

function isMeasured(run: RunDetail): boolean {
  const arena = run.config["arena"] as { every?: number } | undefined;
  return arena?.every !== 0;
}

function perSecond(point: Point, count: number): number {
  return count / Math.max(point.self_play.seconds, 1e-9);
}

function digits(value: number): string {
  return Math.abs(value) < 1000 ? value.toPrecision(3) : value.toFixed(0);
}

function short(value: number): string {
  return String(Number(value.toPrecision(3)));
}

function whole(value: number): string {
  return value.toLocaleString("en");
}

function thousands(value: number): string {
  return Math.abs(value) >= 1000 ? `${short(value / 1000)}k` : short(Math.round(value));
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
