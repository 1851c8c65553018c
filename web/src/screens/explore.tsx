// Inside the search: one simulation at a time, with every number that it used. Two searches can be stepped together, the
// one with the network and the classic one with random play-outs.

import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { App } from "../app";
import { Actions } from "../board/actions";
import { Board } from "../board/board";
import { BrokenOptions, capital } from "../controls";
import "../explore/explore.css";
import { Lane } from "../explore/lane";
import { type Moment, SHOWN_WHOLE, following, preceding } from "../explore/moment";
import { VisitsToMove } from "../explore/policy";
import { type SearchView, useSearch } from "../explore/search";
import { Slider } from "../explore/slider";
import { TOUR, TOUR_PLACE, Tour } from "../explore/tour";
import { type Former, rootCounts, WhatChanges } from "../explore/what_changes";
import { LAST_STAGE, type Selection } from "../explore/words";
import { rich, t } from "../language";
import { type Spot, readSpot, spotAt, writeLink } from "../link";
import { outcomeSentence, outcomeText, stopped } from "../outcomes";
import type { Action, BoardShape, ExplorerParams, Position, State } from "../protocol";
import { after, firstGame, startOf, useShown } from "../shown";

const SEED = 0;
const C_PUCT = 1.25; // as in AlphaZero, and the server's default
const C_UCT = 1.4; // the square root of 2 in theory
const SPEEDS = [
  { name: t("Slow"), pause: 1200, isStaged: true },
  { name: t("Medium"), pause: 500, isStaged: true },
  { name: t("Fast"), pause: 90, isStaged: false },
] as const;
const WITHOUT_NETWORK: Record<string, { title: string; about: string }> = {
  uniform: { title: t("No network"), about: t("Every move looks alike and every position even: only the rules are known.") },
  rollout: { title: t("Classic search"), about: t("UCT with random play-outs: no network, as before AlphaGo.") },
};

export function ExploreScreen({ app }: { app: App }): JSX.Element {
  const game = app.games.find((one) => one.name === app.place.subject) ?? firstGame(app.games, "explore");
  const spot = readSpot(app.place, app.games) ?? spotAt(startOf(game));
  const { position } = spot;
  const { state: root, current: isCurrent, problem } = useShown(app, position);
  const asked = app.place.query["model"];
  const models = [...new Set([...(asked === undefined ? [] : [asked]), ...game.models, "uniform", "rollout"])];
  const model = asked ?? game.models[0] ?? "uniform";
  const isBeside = app.place.query["beside"] === "rollout" && model !== "rollout";

  const selection = selectionOf(model);
  const [constants, setConstants] = useState({ puct: C_PUCT, uct: C_UCT });
  const c = constants[selection];
  const [noise, setNoise] = useState(0);
  const [speed, setSpeed] = useState(1);
  const [former, setFormer] = useState<Former | null>(null);
  const [moment, setMoment] = useState<Moment>(SHOWN_WHOLE);
  const [isStaging, setStaging] = useState(false); // the last simulation is being shown stage by stage
  const [isPlaying, setPlaying] = useState(false);
  const [isWhole, setWhole] = useState(false); // all nodes of the tree are drawn
  const isOver = root?.outcome != null;
  const isReady = root !== null && isCurrent && !isOver;

  const main = useSearch(
    app.connection,
    isReady ? { position, model, params: paramsOf(model, c, noise), seed: SEED } : null,
    isWhole,
  );
  const beside = useSearch(
    app.connection,
    isReady && isBeside ? { position, model: "rollout", params: paramsOf("rollout", C_UCT, 0), seed: SEED } : null,
    isWhole,
  );
  const lanes = isBeside ? [main, beside] : [main];
  const views = lanes.map((lane) => lane.view);
  const isFinished = views.every((view) => view.finished || view.error !== null);
  const label = t("c {c}, noise {noise}", { c: c.toFixed(2), noise: noise.toFixed(2) });

  const visit = (to: Position, more: { model?: string; beside?: boolean } = {}): void => {
    const query: Record<string, string> = {};
    const chosen = more.model ?? (to.game === game.name ? asked : undefined);
    if (chosen !== undefined) query["model"] = chosen;
    if (more.beside ?? isBeside) query["beside"] = "rollout";
    if (more.beside) beside.restart(main.wanted()); // both have done as much
    setFormer(null);
    hold(SHOWN_WHOLE);
    const isOnLine = to.game === game.name && to.moves.every((move, ply) => spot.line[ply] === move);
    const next = isOnLine ? { ...spot, position: to } : spotAt(to, to.game === game.name ? spot.id : null);
    app.go(writeLink("explore", next, query), "replace");
  };
  const step = async (count: number): Promise<void> => {
    await Promise.all(lanes.map((lane) => lane.step(count)));
    const isStaged = count === 1 && (SPEEDS[speed]?.isStaged ?? false) && !prefersStillness();
    setMoment(isStaged ? { stage: 0, depth: 0 } : { ...SHOWN_WHOLE });
    setStaging(isStaged);
  };
  const hold = (at: Moment): void => {
    setPlaying(false);
    setStaging(false);
    setMoment(at);
  };
  const restart = (): void => {
    hold(SHOWN_WHOLE);
    setFormer(null);
    for (const lane of lanes) lane.restart(0);
  };
  const change = (apply: () => void): void => {
    const done = main.wanted(); // a search that is not yet there again keeps its aim
    if (done > 1 && main.view.simulations === done) setFormer({ label, simulations: done, counts: rootCounts(main.view.tree) });
    hold(SHOWN_WHOLE);
    apply();
    main.restart(done);
  };
  const back = (): void => {
    hold(SHOWN_WHOLE);
    for (const lane of lanes) lane.restart(Math.max(0, lane.wanted() - 1));
  };
  const longest = Math.max(0, ...views.map((view) => view.trace?.path.length ?? 0));
  const nextStage = async (): Promise<void> => {
    if (main.view.trace !== null && moment.stage < LAST_STAGE) return hold(following(moment, longest));
    setPlaying(false);
    setStaging(false);
    await Promise.all(lanes.map((lane) => lane.step(1)));
    setMoment({ stage: 0, depth: 0 });
  };
  const previousStage = (): void => {
    if (moment.stage === 0 && moment.depth === 0) back();
    else hold(preceding(moment, longest));
  };
  const tour = readTour(app.place.query["tour"]);
  const guide = (to: number | null, from: Spot = spot): void => {
    const query: Record<string, string> = to === null ? {} : { tour: String(to + 1) };
    app.go(writeLink("explore", from, query), "replace");
  };
  useEffect(() => {
    const aim = tour === null ? undefined : TOUR[tour];
    if (!aim || !isReady) return;
    hold({ stage: aim.stage, depth: 0 });
    if (main.wanted() !== aim.simulations) main.restart(aim.simulations);
  }, [tour, isReady]);
  useTimeline({
    views,
    moment,
    setMoment,
    isStaging,
    setStaging,
    isPlaying: isPlaying && !isFinished,
    pause: SPEEDS[speed]?.pause ?? 500,
    step,
  });

  const board = root?.board ?? game.board;
  const isNetwork = !(model in WITHOUT_NETWORK);
  return (
    <div class="explore" aria-busy={problem === null && !isCurrent}>
      <div class="explore-setup">
        <div class="explore-words">
          <h1>{t("Inside the search")}</h1>
          <p class="soft">
            {rich("A search is the same four stages, over and over. Press *Step* and watch one; every number has its formula behind it.")}{" "}
            {tour === null && (
              <a href={`${TOUR_PLACE}&tour=1`} onClick={restart}>
                {t("New to this? Take the tour")}
              </a>
            )}
          </p>
          <div class="explore-choices">
            <label class="field">
              <span class="label-text">{t("Game")}</span>
              <select
                value={game.name}
                onChange={(event) =>
                  visit(startOf(app.games.find((one) => one.name === event.currentTarget.value) ?? game))
                }
              >
                {app.games.map((one) => (
                  <option key={one.name} value={one.name}>
                    {one.title}
                  </option>
                ))}
                <BrokenOptions games={app.broken} />
              </select>
            </label>
            <label class="field">
              <span class="label-text">{t("Evaluated by")}</span>
              <select value={model} onChange={(event) => visit(position, { model: event.currentTarget.value })}>
                {models.map((name) => (
                  <option key={name} value={name}>
                    {titleOf(name)}
                  </option>
                ))}
              </select>
            </label>
            <label class="check">
              <input
                type="checkbox"
                checked={isBeside}
                disabled={model === "rollout"}
                onChange={(event) => visit(position, { beside: event.currentTarget.checked })}
              />
              {t("Classic search with random play-outs beside it")}
            </label>
          </div>
          <div class="explore-sliders">
            <Slider
              name={selection === "uct" ? "c" : "c_puct"}
              about={t("Low: trust what was found. High: try what was tried seldom.")}
              value={c}
              most={5}
              onChange={(value) => change(() => setConstants({ ...constants, [selection]: value }))}
            />
            <Slider
              name={t("Root noise")}
              about={t("0 in a match; 0.25 in self-play, so that every move is tried at times.")}
              value={noise}
              most={1}
              isDisabled={model === "rollout"}
              onChange={(value) => change(() => setNoise(value))}
            />
          </div>
        </div>
        <figure class="explore-root" data-tour="position">
          {root && (
            <Board
              board={board}
              state={root}
              label={t("Position that is searched")}
              {...(isReady ? { onPlay: (action: Action) => visit(after(position, action.text)) } : {})}
              isWaiting={!isCurrent}
            />
          )}
          {root && isReady && <Actions state={root} onPlay={(action) => visit(after(position, action.text))} />}
          <figcaption>
            <span class="soft">{problem ?? (root && captionOf(root, board))}</span>
            <span>
              <button
                type="button"
                class="quiet"
                disabled={position.moves.length === 0}
                onClick={() => visit({ ...position, moves: position.moves.slice(0, -1) })}
              >
                {t("Take back")}
              </button>
              <a class="button quiet" href={writeLink("analyse", spot, isNetwork ? { model } : {})}>
                {t("Analyse")}
              </a>
            </span>
          </figcaption>
        </figure>
      </div>

      <div class="transport" role="toolbar" aria-label={t("Simulations")}>
        <button type="button" class="primary" disabled={!isReady || isFinished} onClick={() => setPlaying(!isPlaying)}>
          {isPlaying && !isFinished ? t("Pause") : t("Play##show the moves")}
        </button>
        {[1, 10, 100, 1000].map((count) => (
          <button
            type="button"
            key={count}
            disabled={!isReady || isFinished}
            aria-label={count === 1 ? t("Step: one simulation") : t("+{n} simulations", { n: count })}
            onClick={() => {
              setPlaying(false);
              void step(count);
            }}
          >
            {count === 1 ? t("Step") : `+${count}`}
          </button>
        ))}
        <div class="stage-steps" role="group" aria-label={t("Stage by stage")}>
          <button type="button" disabled={!isReady || main.view.simulations === 0} onClick={previousStage}>
            {t("Previous stage")}
          </button>
          <button type="button" disabled={!isReady || (isFinished && moment.stage === LAST_STAGE)} onClick={() => void nextStage()}>
            {t("Next stage")}
          </button>
        </div>
        <button type="button" disabled={!isReady || main.view.simulations === 0} onClick={back}>
          {t("Back one")}
        </button>
        <button type="button" disabled={!isReady} onClick={restart}>
          {t("Restart")}
        </button>
        <fieldset class="segments" aria-label={t("Speed")}>
          {SPEEDS.map((one, i) => (
            <label key={one.name}>
              <input type="radio" name="speed" checked={i === speed} onChange={() => setSpeed(i)} />
              {one.name}
            </label>
          ))}
        </fieldset>
        <output
          class="simulations"
          aria-live="off"
          data-simulations={main.view.simulations}
          data-busy={String(views.some((view) => view.isBusy))}
          data-c={main.view.setting?.params["c_puct"] ?? main.view.setting?.params["c_uct"]}
          data-noise={main.view.setting?.params.noise_fraction}
        >
          {rich("*{n}* {n:simulation|simulations}", { n: main.view.simulations })}
          {isReady && main.view.finished && <span class="soft"> · {endOf(main.view, board.players)}</span>}
        </output>
      </div>

      {tour !== null && <Tour step={tour} onStep={guide} />}
      {former && (
        <WhatChanges
          former={former}
          label={label}
          counts={rootCounts(main.view.tree)}
          simulations={main.view.simulations}
        />
      )}
      {root && (
        <div class={`lanes ${isBeside ? "are-two" : ""}`}>
          <Lane
            app={app}
            title={titleOf(model)}
            about={
              isNetwork
                ? t("PUCT with a network: it says which moves look good and who is winning.")
                : (WITHOUT_NETWORK[model]?.about ?? "")
            }
            board={board}
            root={root}
            view={main.view}
            moment={moment}
            selection={selection}
            c={c}
            isWhole={isWhole}
            onWhole={setWhole}
            onMoment={hold}
            onSearchFrom={(to) => visit(to)}
          />
          {isBeside && (
            <Lane
              app={app}
              title={t("Classic search")}
              about={WITHOUT_NETWORK["rollout"]?.about ?? ""}
              board={board}
              root={root}
              view={beside.view}
              moment={moment}
              selection="uct"
              c={C_UCT}
              isWhole={isWhole}
              onWhole={setWhole}
              onMoment={hold}
              onSearchFrom={(to) => visit(to)}
            />
          )}
        </div>
      )}
      <VisitsToMove nodes={main.view.tree.nodes} siblings={main.view.trace?.path[0]?.children ?? []} />
    </div>
  );
}

/** Which step of the tour a place is about, counted from 0; null: none. */
function readTour(text: string | undefined): number | null {
  const step = Number(text) - 1;
  return text !== undefined && TOUR[step] ? step : null;
}

/** Goes through the stages of the last simulation, and while playing on to the next one. */
function useTimeline(now: {
  views: SearchView[];
  moment: Moment;
  setMoment: (moment: Moment) => void;
  isStaging: boolean;
  setStaging: (isStaging: boolean) => void;
  isPlaying: boolean;
  pause: number;
  step: (count: number) => Promise<void>;
}): void {
  const step = useRef(now.step);
  step.current = now.step;
  const depth = Math.max(0, ...now.views.map((view) => view.trace?.path.length ?? 0));
  const done = now.views.map((view) => view.simulations).join(" ");
  useLayoutEffect(() => {
    const { stage, depth: at } = now.moment;
    if (now.isStaging) {
      if (stage === LAST_STAGE) {
        now.setStaging(false);
        return undefined;
      }
      const timer = setTimeout(() => now.setMoment(following({ stage, depth: at }, depth)), now.pause);
      return () => clearTimeout(timer);
    }
    if (!now.isPlaying) return undefined;
    const timer = setTimeout(() => void step.current(1), now.pause);
    return () => clearTimeout(timer);
  }, [now.moment, now.isStaging, now.isPlaying, now.pause, depth, done]);
}

function paramsOf(model: string, c: number, noise: number): ExplorerParams {
  const plain = { discount: 1 }; // a value goes up the tree as it is
  if (model === "rollout") return { ...plain, c_uct: c };
  return { ...plain, selection: "puct", c_puct: c, noise_fraction: noise };
}

function selectionOf(model: string): Selection {
  return model === "rollout" ? "uct" : "puct";
}

function titleOf(model: string): string {
  return WITHOUT_NETWORK[model]?.title ?? (model.startsWith("run:") ? t("Network of run {name}", { name: model.slice(4) }) : t("Network {name}", { name: model }));
}

function endOf(view: SearchView, players: readonly string[]): string {
  const proven = view.tree.nodes[0]?.proven;
  return proven ? t("proven: {result}", { result: outcomeText(proven, players) }) : t("the end");
}

function captionOf(root: State, board: BoardShape): string {
  if (root.outcome) return `${t("The game is over.")} ${stopped(outcomeSentence(root.outcome, board.players))}`;
  return t("{player} to move", { player: capital(board.players[root.to_move]) });
}

function prefersStillness(): boolean {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}
