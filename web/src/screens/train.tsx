// Training runs: start one, watch it learn, see what is wrong with it, look at the games it plays.

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { App } from "../app";
import { http } from "../connection";
import { BrokenOptions } from "../controls";
import type { RunDetail, RunSummary } from "../protocol";
import { RunView } from "../train/run_view";
import { askGames, askRun, askRuns, usePolled } from "../train/runs";
import "../train/train.css";

const LIST_SECONDS = 3;
const RUN_SECONDS = 2;
const GAMES_SECONDS = 5;
const IDLE_SECONDS = 15; // a run that does not run changes only if somebody else starts it
const MINUTES = 5;

export function TrainScreen({ app }: { app: App }): JSX.Element {
  const list = usePolled("runs", LIST_SECONDS, askRuns);
  const runs = list.value ?? [];
  const name = app.place.subject ?? (runs.find((run) => run.running) ?? runs[0])?.name ?? null;
  const summary = runs.find((run) => run.name === name);
  const seconds = summary === undefined || summary.running ? RUN_SECONDS : IDLE_SECONDS;
  const run = usePolled(name, seconds, askRun);
  const games = usePolled(name, run.value?.running ? GAMES_SECONDS : IDLE_SECONDS, askGames);
  const [waitingFor, setWaitingFor] = useState<string | null>(null);
  const [stopping, setStopping] = useState<string | null>(null); // a run ends after the iteration under way
  if (stopping !== null && run.value?.name === stopping && !run.value.running) setStopping(null);

  const post = async (path: string, body: unknown, what: string): Promise<RunDetail | null> => {
    setWaitingFor(what);
    try {
      return await http<RunDetail>(path, body);
    } catch (error) {
      app.notify(error instanceof Error ? error.message : String(error));
      return null;
    } finally {
      setWaitingFor(null);
      list.again();
      run.again();
      games.again();
    }
  };
  const start = async (game: string, minutes: number): Promise<void> => {
    const started = await post("/api/runs", { game, minutes }, "start");
    if (started) app.go(`#/train/${encodeURIComponent(started.name)}`);
  };
  const order = (what: "stop" | "resume"): void => {
    if (name === null) return;
    setStopping(what === "stop" ? name : null);
    void post(`/api/runs/${encodeURIComponent(name)}/${what}`, {}, what);
  };

  return (
    <div class="train">
      <aside class="train-side">
        <StartForm
          app={app}
          isWaiting={waitingFor === "start"}
          isBusy={runs.some((one) => one.running)}
          onStart={start}
        />
        {runs.length > 0 && <RunList app={app} runs={runs} name={name} />}
      </aside>
      <div class="train-main">
        {list.value !== null && runs.length === 0 && name === null && (
          <section class="train-empty">
            <h1>Watch it learn</h1>
            <p>
              Choose a game and press <b>Start training</b>: knowing only the rules, the machine plays against itself
              and learns from its own games. Its curves appear here after the first minute, and you can stop, close the
              page and go on later; tic-tac-toe takes a few minutes.
            </p>
          </section>
        )}
        {run.value ? (
          <RunView
            app={app}
            run={run.value}
            games={games.value ?? []}
            isWaiting={waitingFor === "resume"}
            isStopping={stopping === name}
            onStop={() => order("stop")}
            onResume={() => order("resume")}
          />
        ) : (
          name !== null && <p class="waiting">{run.error ?? "Reading the run …"}</p>
        )}
      </div>
    </div>
  );
}

function StartForm(props: {
  app: App;
  isWaiting: boolean;
  isBusy: boolean;
  onStart: (game: string, minutes: number) => void;
}): JSX.Element {
  const { games } = props.app;
  const [game, setGame] = useState((games.find((one) => one.name === "tic_tac_toe") ?? games[0])?.name ?? "");
  const [minutes, setMinutes] = useState(MINUTES);
  return (
    <form
      class="card start-form"
      onSubmit={(event) => {
        event.preventDefault();
        props.onStart(game, minutes);
      }}
    >
      <h2>New run</h2>
      <label class="field">
        <span class="label-text">Game</span>
        <select value={game} onChange={(event) => setGame(event.currentTarget.value)}>
          {games.map((one) => (
            <option key={one.name} value={one.name} selected={one.name === game}>
              {one.title}
            </option>
          ))}
          <BrokenOptions games={props.app.broken} />
        </select>
      </label>
      <label class="field">
        <span class="label-text">Minutes</span>
        <input
          type="number"
          min={0.1}
          max={1440}
          step="any"
          required
          value={minutes}
          onInput={(event) => setMinutes(event.currentTarget.valueAsNumber)}
        />
      </label>
      <button type="submit" class="primary" disabled={props.isWaiting || props.isBusy}>
        {props.isWaiting ? "Starting …" : "Start training"}
      </button>
      {props.isBusy && <p class="soft small">A run takes the whole machine: stop the one that is running first.</p>}
    </form>
  );
}

function RunList({ app, runs, name }: { app: App; runs: RunSummary[]; name: string | null }): JSX.Element {
  return (
    <nav class="run-list" aria-label="Runs">
      <h2>Runs</h2>
      <ul>
        {runs.map((run) => (
          <li key={run.name}>
            <a href={`#/train/${encodeURIComponent(run.name)}`} aria-current={run.name === name ? "true" : undefined}>
              <span class={`run-dot ${run.running ? "is-running" : ""}`} aria-hidden="true" />
              <span class="run-name">
                <b>{run.name}</b>
                <span class="soft small">
                  {app.games.find((game) => game.name === run.game)?.title ?? run.game}, {stateOf(run)}
                </span>
              </span>
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function stateOf(run: RunSummary): string {
  const progress = run.iterations === null ? `${run.iteration}` : `${run.iteration} of ${run.iterations}`;
  if (run.running) return `running, ${progress}`;
  return run.iterations !== null && run.iteration >= run.iterations ? "finished" : `stopped at ${progress}`;
}
