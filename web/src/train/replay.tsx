// The newest games that a run played against itself: a board to go through one, how sure the search was of the result,
// and a way into the search of any of its positions.

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { App } from "../app";
import { Board } from "../board/board";
import { t } from "../language";
import { writeLink } from "../link";
import { outcomeSentence, outcomeText, stopped } from "../outcomes";
import type { Position, RunGame } from "../protocol";
import { useShown } from "../shown";

interface Props {
  app: App;
  run: string;
  games: RunGame[]; // the newest first
  isLive: boolean; // the run is under way
}

const PAUSE = 700; // milliseconds between two moves

export function Replay({ app, run, games, isLive }: Props): JSX.Element {
  const [chosen, setChosen] = useState<RunGame | null>(null); // newer games do not take away the one being looked at
  const [isFollowing, setFollowing] = useState(false); // games are shown as they come
  const game = chosen ?? games[0];
  if (!game) {
    return (
      <section class="card replay">
        <h3>{t("Newest games")}</h3>
        <p class="soft">{t("The games that the run plays against itself appear here.")}</p>
      </section>
    );
  }
  const number = games.indexOf(game);
  return (
    <section class="card replay" aria-label={t("Newest games")}>
      <div class="replay-head">
        <h3>{t("Newest games")}</h3>
        <label>
          <span class="visually-hidden">{t("Game")}</span>
          <select value={number} onChange={(event) => setChosen(games[Number(event.currentTarget.value)] ?? null)}>
            {number < 0 && <option value={-1}>{t("an earlier one: {game}", { game: titleOf(app, game) })}</option>}
            {games.map((one, i) => (
              <option key={i} value={i}>
                {i === 0 ? t("newest") : `${i + 1}.`}: {titleOf(app, one)}
              </option>
            ))}
          </select>
        </label>
        {isLive && (
          <label class="check">
            <input
              type="checkbox"
              checked={isFollowing}
              onChange={(event) => {
                setFollowing(event.currentTarget.checked);
                setChosen(event.currentTarget.checked ? (games[0] ?? null) : game);
              }}
            />
            {t("Follow: play the newest game, then the next")}
          </label>
        )}
      </div>
      <Moves
        key={keyOf(game)}
        app={app}
        run={run}
        game={game}
        isFollowing={isFollowing && isLive}
        onTouch={() => {
          setFollowing(false);
          setChosen(game);
        }}
        onEnd={() => setChosen(games[0] ?? null)}
      />
    </section>
  );
}

function Moves(props: {
  app: App;
  run: string;
  game: RunGame;
  isFollowing: boolean;
  onTouch: () => void;
  onEnd: () => void;
}): JSX.Element {
  const { app, game } = props;
  const [ply, setPly] = useState(0);
  const [isPlaying, setPlaying] = useState(false);
  const { moves } = game.position;
  const at = Math.min(ply, moves.length);
  const position: Position = { ...game.position, moves: moves.slice(0, at) };
  const { state, problem } = useShown(app, position);

  const isOn = (isPlaying || props.isFollowing) && at < moves.length;
  useEffect(() => {
    if (!props.isFollowing || at < moves.length) return undefined;
    const timer = setTimeout(props.onEnd, 2 * PAUSE);
    return () => clearTimeout(timer);
  });
  useEffect(() => {
    if (!isOn) return undefined;
    const timer = setTimeout(() => setPly(at + 1), PAUSE);
    return () => clearTimeout(timer);
  }, [isOn, at]);

  const goTo = (to: number): void => {
    props.onTouch();
    setPlaying(false);
    setPly(Math.max(0, Math.min(moves.length, to)));
  };
  const board = state?.board ?? app.games.find((one) => one.name === game.position.game)?.board;
  const players = board?.players.map((name) => t(name)) ?? [t("the first player"), t("the second")];
  return (
    <div class="replay-body">
      <div class="replay-board">
        {state && <Board board={state.board} state={state} label={t("Game that the run played")} />}
        {problem && <p role="alert">{problem}</p>}
      </div>
      <div class="replay-side">
        <ValueCurve values={valuesForFirst(game)} length={moves.length} at={at} players={players} onJump={goTo} />
        <input
          type="range"
          min={0}
          max={moves.length}
          value={at}
          aria-label={t("Move")}
          aria-valuetext={at === 0 ? t("start") : t("move {number}: {move}", { number: at, move: moves[at - 1] ?? "" })}
          onInput={(event) => goTo(Number(event.currentTarget.value))}
        />
        <div class="buttons">
          <button type="button" disabled={at === 0} onClick={() => goTo(at - 1)}>
            {t("Back")}
          </button>
          <button
            type="button"
            onClick={() => {
              props.onTouch();
              if (at === moves.length) setPly(0);
              setPlaying(!isOn);
            }}
          >
            {isOn ? t("Pause") : t("Play##show the moves")}
          </button>
          <button type="button" disabled={at === moves.length} onClick={() => goTo(at + 1)}>
            {t("Next")}
          </button>
        </div>
        <p class="small">
          {at === 0 ? t("The start") : t("Move {number} of {all}: {move}", { number: at, all: moves.length, move: moves[at - 1] ?? "" })}
          {at === moves.length && game.outcome ? stopped("") + " " + stopped(outcomeSentence(game.outcome, board?.players ?? [])) : ""}
        </p>
        {at < moves.length && (
          <a class="button" href={writeLink("explore", { position, line: moves, id: null }, { model: `run:${props.run}` })}>
            {t("Open this position in the explorer")}
          </a>
        )}
      </div>
    </div>
  );
}

function titleOf(app: App, game: RunGame): string {
  const players = app.games.find((one) => one.name === game.position.game)?.board.players ?? [];
  return `${t("{n} moves", { n: game.position.moves.length })}, ${game.outcome ? outcomeText(game.outcome, players) : t("unfinished")}`;
}

function keyOf(game: RunGame): string {
  return game.position.moves.join(" ");
}

/** What the search expected at each move, above the line for the first player. */
function ValueCurve(props: {
  values: (number | null)[];
  length: number;
  at: number;
  players: readonly string[];
  onJump: (ply: number) => void;
}): JSX.Element {
  const { values, at, length } = props;
  const [width, height] = [320, 110];
  const x = (ply: number): number => (length > 0 ? (ply * width) / length : 0);
  const y = (value: number): number => height / 2 - value * (height / 2 - 6);
  const known = values.flatMap((value, ply) => (value === null ? [] : [[x(ply), y(value)] as const]));
  const line = known.map(([left, top], i) => `${i ? "L" : "M"}${left.toFixed(1)} ${top.toFixed(1)}`).join("");
  const jump = (event: JSX.TargetedMouseEvent<SVGSVGElement>): void => {
    const box = event.currentTarget.getBoundingClientRect();
    props.onJump(Math.round(((event.clientX - box.left) / box.width) * length));
  };
  return (
    <div class="value-curve">
      <span class="small soft">{t("good for {player}", { player: props.players[0] ?? "" })}</span>
      <svg viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" onClick={jump} aria-hidden="true">
        <rect width={width} height={height} rx={6} />
        <path class="value-even" d={`M0 ${height / 2}H${width}`} />
        <path class="value-line" d={line} />
        <path class="value-at" d={`M${x(at)} 0V${height}`} />
      </svg>
      <span class="small soft">{t("good for {player}", { player: props.players[1] ?? "" })}</span>
    </div>
  );
}

/** The server's values are for the player who moves. */
function valuesForFirst(game: RunGame): (number | null)[] {
  return game.values.map((value, ply) => (value === null ? null : game.players[ply] === 1 ? -value : value));
}
