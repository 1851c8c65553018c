// One run: how far it is, what is wrong with it in words, its curves, its newest games.

import type { JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import type { App } from "../app";
import { language, said, t } from "../language";
import type { RunDetail, RunGame } from "../protocol";
import { type Axis, Curves, perSecond, thousands } from "./curves";
import { stopped } from "../outcomes";
import { Nodes } from "./nodes";
import { Replay } from "./replay";
import { RunSettings } from "./settings";
import { duration, findingsOf, pointsOf, type Point } from "./runs";

interface Props {
  app: App;
  run: RunDetail;
  others: RunDetail[]; // laid over it
  games: RunGame[];
  axis: Axis;
  smoothing: number;
  onAxis: (axis: Axis) => void;
  onSmoothing: (smoothing: number) => void;
  onRename: (name: string) => void;
  onDelete: () => void;
  isWaiting: boolean; // for the server to resume it
  isStopping: boolean;
  onStop: () => void;
  onResume: (minutes: number | null) => void; // in all; null: as before
}

const MORE_MINUTES = 5;

export function RunView(props: Props): JSX.Element {
  const { app, run } = props;
  const points = pointsOf(run);
  const newest = points.at(-1);
  const title = app.games.find((game) => game.name === run.game)?.title ?? run.game;
  return (
    <section class="run" aria-label={t("Run {run}", { run: run.name })}>
      <header class="run-head">
        <div>
          <h2 class="large-title">{title}</h2>
          <p class="soft">
            {run.name} · <Status run={run} newest={newest} />
          </p>
        </div>
        <div class="buttons">
          {run.running && (
            <button type="button" disabled={props.isStopping} onClick={props.onStop}>
              {props.isStopping ? t("Stopping after this iteration …") : t("Stop")}
            </button>
          )}
          {!run.running && !run.finished && !run.bundled && (
            <button type="button" class="primary" disabled={props.isWaiting} onClick={() => props.onResume(null)}>
              {t("Resume")}
            </button>
          )}
          {run.finished && run.minutes !== null && (
            <button type="button" disabled={props.isWaiting} onClick={() => props.onResume((run.minutes ?? 0) + MORE_MINUTES)}>
              {t("Train {n} minutes more", { n: MORE_MINUTES })}
            </button>
          )}
          {!run.running && !run.bundled && <Manage run={run} onRename={props.onRename} onDelete={props.onDelete} />}
        </div>
      </header>
      <Progress run={run} />
      {run.problem && (
        <p class="card run-problem" role="alert">
          {t("The run ended with an error:")} {run.problem}
        </p>
      )}
      {newest && <Tiles points={points} newest={newest} />}
      {newest && <Nodes points={points} newest={newest} />}
      {newest && <Findings run={run} />}
      <Curves
        run={run}
        others={props.others}
        axis={props.axis}
        smoothing={props.smoothing}
        onAxis={props.onAxis}
        onSmoothing={props.onSmoothing}
      />
      <RunSettings runs={[run, ...props.others]} />
      {!run.bundled && <Replay key={run.name} app={app} run={run.name} games={props.games} isLive={run.running} />}
    </section>
  );
}

/** Another name for a run, or its end. */
function Manage(props: { run: RunDetail; onRename: (name: string) => void; onDelete: () => void }): JSX.Element {
  const [name, setName] = useState(props.run.name);
  const renaming = useRef<HTMLDialogElement>(null);
  const deleting = useRef<HTMLDialogElement>(null);
  return (
    <>
      <button type="button" class="quiet" onClick={() => renaming.current?.showModal()}>
        {t("Rename")}
      </button>
      <button type="button" class="quiet" onClick={() => deleting.current?.showModal()}>
        {t("Delete")}
      </button>
      <dialog ref={renaming} aria-label={t("Rename the run")}>
        <form
          method="dialog"
          onSubmit={(event) => {
            event.preventDefault();
            renaming.current?.close();
            props.onRename(name.trim());
          }}
        >
          <h2 class="dialog-title">{t("Rename the run")}</h2>
          <label class="field">
            <span class="label-text">{t("Name")}</span>
            <input type="text" required maxLength={100} value={name} onInput={(event) => setName(event.currentTarget.value)} />
          </label>
          <div class="buttons">
            <button type="submit" class="primary">
              {t("Rename")}
            </button>
            <button type="button" onClick={() => renaming.current?.close()}>
              {t("Cancel")}
            </button>
          </div>
        </form>
      </dialog>
      <dialog ref={deleting} class="confirm" aria-label={t("Delete the run")}>
        <h2 class="dialog-title">{t("Delete {name}?", { name: props.run.name })}</h2>
        <p>{t("Its games, networks and figures are deleted from the disk. This can’t be undone.")}</p>
        <div class="buttons">
          <button
            type="button"
            class="primary"
            onClick={() => {
              deleting.current?.close();
              props.onDelete();
            }}
          >
            {t("Delete it")}
          </button>
          <button type="button" onClick={() => deleting.current?.close()}>
            {t("Keep it")}
          </button>
        </div>
      </dialog>
    </>
  );
}

function Status({ run, newest }: { run: RunDetail; newest: Point | undefined }): JSX.Element {
  if (run.finished) return <>{run.iterations !== null && run.iteration >= run.iterations ? t("finished") : t("finished: its time is used up")}</>;
  if (run.bundled) return <>{t("stopped")}</>;
  if (!run.running) return <>{t("stopped; it can go on where it is")}</>;
  if (!newest) return <>{t("starting: the first games are being played")}</>;
  return <>{t("running, about {time} left", { time: duration(newest.seconds_left) })}</>;
}

function Progress({ run }: { run: RunDetail }): JSX.Element {
  const total = run.iterations ?? run.iteration;
  return (
    <div class="run-progress">
      <progress max={Math.max(1, total)} value={run.iteration} aria-label={t("Progress of the run")} />
      <span class="small number">
        {run.iterations === null ? t("iteration {number}", { number: run.iteration }) : t("iteration {number} of {all}", { number: run.iteration, all: run.iterations })}
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
      about: rated ? t("± {error}; {zero} has 0", { error: rated.error.toFixed(0), zero: rated.zero }) : t("not measured yet"),
    },
    newest.imitation
      ? { name: t("Learned"), figure: whole(sum((point) => point.learner.samples)), about: t("positions of the records") }
      : {
          name: t("Games"),
          figure: whole(sum((point) => point.self_play.games)),
          about: t("{count} positions", { count: whole(sum((point) => point.self_play.positions)) }),
        },
    { name: t("Time"), figure: duration(newest.seconds), about: t("so far") },
    newest.imitation
      ? {
          name: t("Moves of the records"),
          figure: `${Math.round(100 * newest.imitation.validation.top1)} %`,
          about: t("are the network's first choice"),
        }
      : { name: t("Speed"), figure: thousands(perSecond(newest)), about: t("positions evaluated a second") },
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
    <section class="card findings" aria-label={t("Diagnosis")}>
      <h3>{t("Diagnosis")}</h3>
      {findings.length === 0 ? (
        <p class="finding-fine">{t("The figures of this run show nothing wrong.")}</p>
      ) : (
        <ul>
          {findings.map((finding) => (
            <li key={finding.name}>
              <b>{sentence(said(finding.name))}</b> {sentence(said(finding.cause))}{" "}
              <span class="soft">{t("What helps: {remedy}.", { remedy: said(finding.remedy) })}</span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function whole(value: number): string {
  return value.toLocaleString(language());
}

function sentence(text: string): string {
  return stopped(text.charAt(0).toUpperCase() + text.slice(1));
}
