// Training runs: start one, watch it learn, see what is wrong with it, look at the games it plays.

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { App } from "../app";
import { http } from "../connection";
import { rich, speakOfTraining, t } from "../language";
import type { RunDetail, RunSummary } from "../protocol";
import type { Axis } from "../train/curves";
import { RunView } from "../train/run_view";
import { askGames, askRun, askRuns, forgetRun, usePolled } from "../train/runs";
import { type Start, StartForm } from "../train/start_form";
import "../train/train.css";

const LIST_SECONDS = 3;
const RUN_SECONDS = 2;
const GAMES_SECONDS = 5;
const IDLE_SECONDS = 15; // a run that does not run changes only if somebody else starts it
const MOST_COMPARED = 5;

export function TrainScreen({ app }: { app: App }): JSX.Element {
  const list = usePolled("runs", LIST_SECONDS, askRuns);
  const [, redraw] = useState(0);
  useEffect(() => void speakOfTraining().then(() => redraw(1)), []);
  const [deleted, setDeleted] = useState<string[]>([]); // that the list may still have
  const runs = (list.value ?? []).filter((run) => !deleted.includes(run.name));
  const own = runs.filter((run) => !run.bundled);
  const name = app.place.subject ?? (own.find((run) => run.running) ?? own[0])?.name ?? null;
  const { query } = app.place;
  const axis = (["iterations", "time", "games"] as const).find((one) => one === query["x"]) ?? "iterations";
  const smoothing = Math.min(0.95, Math.max(0, Number(query["smooth"] ?? 0) || 0));
  const compared = (query["with"] ?? "").split(",").filter((one) => one && one !== name && runs.some((run) => run.name === one));
  const summary = runs.find((run) => run.name === name);
  const [fresh, setFresh] = useState<string | null>(null); // a name that the list may not have yet
  const welcome = (run: string): void => {
    setFresh(run);
    setDeleted(deleted.filter((one) => one !== run)); // a name can come again
  };
  const asked = summary !== undefined || name === fresh ? name : null; // a run that is not there is not asked for
  const isMissing = name !== null && asked === null && list.value !== null;
  const seconds = summary === undefined || summary.running ? RUN_SECONDS : IDLE_SECONDS;
  const run = usePolled(asked, seconds, askRun);
  const games = usePolled(asked, run.value?.running ? GAMES_SECONDS : IDLE_SECONDS, askGames);
  const others = usePolled(compared.length ? compared.join(",") : null, RUN_SECONDS, askAll);
  const [waitingFor, setWaitingFor] = useState<string | null>(null);
  const [stopping, setStopping] = useState<string | null>(null); // a run ends after the iteration under way
  if (stopping !== null && run.value?.name === stopping && !run.value.running) setStopping(null);

  /** The same screen with other settings; those that are as usual are left out of the link. */
  const show = (change: { run?: string; with?: string[]; x?: Axis; smooth?: number }): void => {
    const next = { run: name, with: compared, x: axis, smooth: smoothing, ...change };
    const fields = [
      ...(next.with.length ? [`with=${next.with.map(encodeURIComponent).join(",")}`] : []),
      ...(next.x === "iterations" ? [] : [`x=${next.x}`]),
      ...(next.smooth ? [`smooth=${next.smooth.toFixed(2)}`] : []),
    ];
    app.go(`#/train/${encodeURIComponent(next.run ?? "")}${fields.length ? `?${fields.join("&")}` : ""}`, "replace");
  };
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
  const rename = async (to: string): Promise<void> => {
    if (name === null || to === name) return;
    const goOn = await Promise.all([run.rest(), games.rest()]);
    try {
      const renamed = await http<RunDetail>(`/api/runs/${encodeURIComponent(name)}/rename`, { name: to });
      welcome(renamed.name);
      app.go(`#/train/${encodeURIComponent(renamed.name)}`, "replace");
    } catch (error) {
      app.notify((error as Error).message);
      for (const again of goOn) again();
    }
    list.again();
  };
  const remove = async (): Promise<void> => {
    if (name === null) return;
    const goOn = await Promise.all([run.rest(), games.rest()]);
    const response = await fetch(`/api/runs/${encodeURIComponent(name)}`, { method: "DELETE" });
    forgetRun(name);
    if (response.ok) {
      setDeleted([...deleted, name]);
      app.go("#/train", "replace");
    } else {
      app.notify((await response.json().catch(() => ({})))["message"] ?? t("The server could not delete it."));
      for (const again of goOn) again();
    }
    list.again();
  };
  const start = async (asked: Start): Promise<void> => {
    const started = await post("/api/runs", asked, "start");
    if (!started) return;
    welcome(started.name);
    app.go(`#/train/${encodeURIComponent(started.name)}`);
  };
  const order = (what: "stop" | "resume", minutes: number | null = null): void => {
    if (name === null) return;
    setStopping(what === "stop" ? name : null);
    void post(`/api/runs/${encodeURIComponent(name)}/${what}`, minutes === null ? {} : { minutes }, what);
  };

  return (
    <div class="train" aria-busy={list.value === null ? list.error === null : asked !== null && run.value === null && run.error === null}>
      <h1 class="visually-hidden">{t("Training")}</h1>
      <aside class="train-side">
        <StartForm
          app={app}
          isWaiting={waitingFor === "start"}
          isBusy={runs.some((one) => one.running)}
          onStart={start}
        />
        {runs.length > 0 && (
          <RunList app={app} runs={runs} name={name} compared={compared} onCompare={(names) => show({ with: names })} />
        )}
      </aside>
      <div class="train-main">
        {list.value !== null && name === null && (
          <section class="train-empty">
            <h2 class="large-title">{t("Watch it learn")}</h2>
            <p>
              {rich("Choose a game and press *Start training*: knowing only the rules, the machine plays against itself and learns from its own games. Its curves appear here after the first minute, and you can stop, close the page and go on later; tic-tac-toe takes a few minutes.")}
            </p>
          </section>
        )}
        {run.value ? (
          <RunView
            app={app}
            run={run.value}
            others={(others.value ?? []).filter((one) => compared.includes(one.name))}
            games={games.value ?? []}
            axis={axis}
            smoothing={smoothing}
            onAxis={(x) => show({ x })}
            onSmoothing={(smooth) => show({ smooth })}
            onRename={(to) => void rename(to)}
            onDelete={() => void remove()}
            isWaiting={waitingFor === "resume"}
            isStopping={stopping === name}
            onStop={() => order("stop")}
            onResume={(minutes) => order("resume", minutes)}
          />
        ) : (
          name !== null && (
            <p class="waiting" role={isMissing ? "alert" : undefined}>
              {isMissing ? t("There is no run called {name}.", { name }) : (run.error ?? list.error ?? t("Reading the run …"))}
            </p>
          )
        )}
      </div>
    </div>
  );
}

function askAll(names: string): Promise<RunDetail[]> {
  return Promise.all(names.split(",").map(askRun));
}

function RunList(props: {
  app: App;
  runs: RunSummary[];
  name: string | null;
  compared: string[];
  onCompare: (names: string[]) => void;
}): JSX.Element {
  const { app, runs, name, compared } = props;
  const item = (run: RunSummary): JSX.Element => (
    <li key={run.name}>
      <a href={`#/train/${encodeURIComponent(run.name)}`} aria-current={run.name === name ? "true" : undefined}>
        <span class={`run-dot ${run.running ? "is-running" : ""}`} aria-hidden="true" />
        <span class="run-name">
          <b>{run.bundled ? run.name.replace(/^bundled\./, "") : run.name}</b>
          <span class="soft small">
            {app.games.find((game) => game.name === run.game)?.title ?? run.game}, {stateOf(run)}
          </span>
        </span>
      </a>
      {name !== null && run.name !== name && (
        <input
          type="checkbox"
          aria-label={t("Lay {run} over the charts", { run: run.name })}
          title={t("Lay {run} over the charts", { run: run.name })}
          checked={compared.includes(run.name)}
          disabled={!compared.includes(run.name) && compared.length >= MOST_COMPARED}
          onChange={(event) =>
            props.onCompare(event.currentTarget.checked ? [...compared, run.name] : compared.filter((one) => one !== run.name))
          }
        />
      )}
    </li>
  );
  const own = runs.filter((run) => !run.bundled);
  return (
    <nav class="run-list" aria-label={t("Runs")}>
      {own.length > 0 && <h2>{t("Runs")}</h2>}
      <ul>{own.map(item)}</ul>
      <h2>{t("Runs of the bundled networks")}</h2>
      <ul>{runs.filter((run) => run.bundled).map(item)}</ul>
      {name !== null && <p class="soft small">{t("Tick runs to lay them over the charts.")}</p>}
    </nav>
  );
}

function stateOf(run: RunSummary): string {
  const progress = run.iterations === null ? `${run.iteration}` : t("{number} of {all}", { number: run.iteration, all: run.iterations });
  if (run.running) return t("running, {progress}", { progress });
  return run.finished ? t("finished") : t("stopped at {progress}", { progress });
}
