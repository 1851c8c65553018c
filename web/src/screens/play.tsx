// A game against the agent. The place says everything about it (game, moves, side, level), so a reload, a new
// connection or a link goes on with the same game.

import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { App } from "../app";
import { Actions } from "../board/actions";
import { Board } from "../board/board";
import { canFlip } from "../board/geometry";
import { StoneIcon } from "../board/pieces";
import { Tally, territoryOf } from "../board/tally";
import { GamePicker, Segments, Select, Waiting, capital, copyLink, modelText, percent } from "../controls";
import { rich, t } from "../language";
import { freshId, spotAt, writeLink } from "../link";
import { CLOCKS, Clocks, clockText, resetClock, useClock } from "../play/clock";
import { useLastWord } from "../play/last_word";
import { Lead, keepLead } from "../play/lead";
import { Moves } from "../play/moves";
import { type Side, type Table, agentOf, isLookingBack, opponent, readTable, savedTable, withAgent, writeTable } from "../play/table";
import { outcomeSentence, outcomeText, stopped } from "../outcomes";
import type { BoardShape, GameInfo, Move, Options, Player, Position, State } from "../protocol";
import { after, askState, firstGame, keepState, positionKey, startOf, useShown } from "../shown";
import { endOfGame, knock, soundsAreOn, turnSounds } from "../sound";
import { useStateOf } from "../state_of";
import { FlipButton, Steps } from "../steps";
import { keep } from "../storage";
import { firstToMove, lineText, moveText } from "../moves";
import "./play.css";

const WATCH_SECONDS = 0.5; // between two moves of agents, so that one can follow
const HINT_SIMULATIONS = 400;
const HINT_SECONDS = 2;

export function PlayScreen({ app }: { app: App }): JSX.Element {
  const game = app.games.find((one) => one.name === app.place.subject) ?? firstGame(app.games, "play");
  const table = readTable(app, game);
  const { spot, side } = table;
  const { position } = spot;
  const count = spot.line.length;
  const key = positionKey(position);
  const { state, current, problem } = useShown(app, position);
  const whole = useShown(app, { ...position, moves: spot.line });
  const [paused, setPaused] = useState(false);
  const [isTurned, setTurned] = useState(false);
  const [sounds, setSounds] = useState(soundsAreOn);
  const [hint, setHint] = useStateOf<Move | "asked" | null>(null, [key]);

  const set = (change: Partial<Table>): void => {
    const next = { ...table, ...change };
    keep(`play.${game.name}`, JSON.stringify({ side: next.side, level: next.level, model: next.model, clock: next.clock }));
    app.go(writeTable(next), "replace");
  };
  const goTo = (next: Position): void => set({ spot: spotAt(next, spot.id ?? freshId()), resigned: false, late: null });
  const step = (at: number): void => set({ spot: { ...spot, position: { ...position, moves: spot.line.slice(0, at) } } });
  const straight = state?.board ?? game.board;
  const isFlipped = canFlip(straight) && isTurned !== (side === "1" && straight.layout === "planes");
  const board = useMemo(() => (isFlipped ? { ...straight, flipped: true } : straight), [straight, isFlipped]);
  const isOver = state !== null && (state.outcome !== null || table.resigned || table.late !== null);
  const isOn = current && state !== null && !isOver && !isLookingBack(table);
  const agentMoves = isOn && (side === "watch" ? !paused : side !== String(state.to_move));
  const failure = useAgent(app, table, agentMoves, state?.to_move ?? 0, (text, next) => {
    keepState(after(position, text), next);
    goTo(after(position, text));
  });
  const isGoing = whole.current && whole.state?.outcome === null && !table.resigned && table.late === null && !(side === "watch" && paused);
  const clock = useClock(table.clock, spot.id ?? "", count, isGoing ? (whole.state?.to_move ?? null) : null, (late) => set({ late }));
  useSounds(state, current);

  const yourTurn = isOn && side === String(state.to_move);
  const lastWord = useLastWord(app, position, yourTurn ? state : null, (action) => goTo(after(position, action.text)));
  const newGame = (changed: GameInfo = game, options: Options = position.options): void => {
    setPaused(false);
    const fresh = spotAt({ ...startOf(changed), options }, freshId());
    if (changed === game) set({ spot: fresh, resigned: false, late: null });
    else app.go(writeTable({ ...savedTable(changed), spot: fresh }));
  };
  const undo = async (): Promise<void> => {
    if (table.resigned) return set({ resigned: false });
    if (table.late !== null) {
      resetClock(spot.id ?? "");
      return set({ late: null });
    }
    const moves = [...spot.line];
    do moves.pop();
    while (moves.length > 0 && side !== "watch" && String((await askState(app, { ...position, moves })).to_move) !== side);
    setPaused(true);
    goTo({ ...position, moves });
  };
  const askHint = (): void => {
    setHint("asked");
    app.connection
      .request("analyse", { position, model: table.model, simulations: HINT_SIMULATIONS, seconds: HINT_SECONDS })
      .answer.then(
        ({ moves: [move] }) => setHint(move ?? null),
        (error: Error) => {
          setHint(null);
          app.notify(error.message);
        },
      );
  };
  const shownHint = hint === "asked" ? null : hint;
  const canUndo = table.resigned || table.late !== null || count > (side === "1" ? 1 : 0);

  return (
    <div class="table play" data-current={current} aria-busy={problem === null && !current}>
      <div class="panel board-side">
        {state ? (
          <Board
            board={board}
            state={state}
            label={t("{game} board", { game: game.title })}
            {...(yourTurn ? { onPlay: lastWord.play } : {})}
            isWaiting={!current || agentMoves}
            ownership={state.outcome && current ? territoryOf(state) : undefined}
            hint={shownHint}
          />
        ) : (
          <Waiting problem={problem} />
        )}
        <Steps at={position.moves.length} count={count} onStep={step}>
          {canFlip(straight) && <FlipButton onFlip={() => setTurned(!isTurned)} />}
        </Steps>
      </div>
      <div class="panel">
        <section class="card status-card">
          <Status board={board} state={state} table={table} failure={failure} problem={problem} paused={paused} />
          {clock && <Clocks board={board} clock={clock} />}
          {state && (
            <div class="tally-row">
              <Tally state={state} />
              {state.outcome === null && current && <Lead app={app} board={board} position={position} model={agentOf(table, side === "watch" ? state.to_move : 0).model} asks={!agentMoves} />}
            </div>
          )}
          {shownHint && (
            <p class="hint small">
              {rich("Try *{move}*: the agent gives it {share}.", { move: moveText(shownHint.notation, state?.to_move), share: percent(shownHint.win_rate) })}
            </p>
          )}
          {isLookingBack(table) && (
            <div class="buttons even">
              <button type="button" class="primary" onClick={() => step(count)}>
                {t("Back to the game")}
              </button>
              <a class="button" href={writeTable({ ...table, spot: spotAt(position, freshId()), resigned: false, late: null })}>
                {t("Play from here")}
              </a>
            </div>
          )}
          {yourTurn && <Actions state={state} onPlay={lastWord.play} />}
          {lastWord.dialog}
          <div class="buttons even">
            <button type="button" disabled={!canUndo} onClick={() => void undo()}>
              {t("Undo")}
            </button>
            {side === "watch" ? (
              <button type="button" disabled={isOver} onClick={() => setPaused(!paused)}>
                {paused ? t("Go on") : t("Pause")}
              </button>
            ) : (
              <>
                <button type="button" disabled={!yourTurn || hint === "asked"} onClick={askHint}>
                  {t("Hint")}
                </button>
                <button type="button" disabled={isOver || !count} onClick={() => set({ resigned: true })}>
                  {t("Resign")}
                </button>
              </>
            )}
          </div>
          <div class="buttons even">
            <button type="button" class={isOver ? "primary" : ""} onClick={() => newGame()}>
              {t("New game")}
            </button>
            {isOver && (
              <a class="button" href={writeLink("analyse", { ...spot, position: { ...position, moves: spot.line } }, { model: table.model, review: "yes" })}>
                {t("Review this game")}
              </a>
            )}
          </div>
          <Moves line={whole.current && whole.state ? lineText(whole.state.notations, firstToMove(whole.state)) : spot.line} at={position.moves.length} onStep={step} />
          <div class="buttons even links">
            <a class="button quiet" href={writeLink("analyse", spot, { model: table.model })}>
              {t("Analyse this game")}
            </a>
            <a class="button quiet" href={writeLink("explore", spot, { model: table.model })}>
              {t("Explore this position")}
            </a>
            <button type="button" class="quiet" onClick={() => void copyLink(app, writeTable({ ...table, spot: { ...spot, id: null } }))}>
              {t("Copy link")}
            </button>
          </div>
        </section>
        <section class="card" aria-label={t("Settings")}>
          <GamePicker app={app} position={position} onChange={newGame} />
          <div class="field">
            <span class="label-text">{t("You play")}</span>
            <Segments<Side>
              label={t("You play")}
              value={side}
              onChange={(changed) => {
                setPaused(false);
                set({ side: changed });
              }}
              options={[
                { value: "0", label: t("{player}, who moves first", { player: capital(board.players[0]) }), content: <Named board={board} player={0} /> },
                { value: "1", label: t("{player}, who moves second", { player: capital(board.players[1]) }), content: <Named board={board} player={1} /> },
                { value: "watch", label: t("Watch two agents play"), content: t("Watch") },
              ]}
            />
          </div>
          {side === "watch" ? (
            ([0, 1] as const).map((player) => (
              <fieldset class="agent">
                <legend>
                  <Named board={board} player={player} />
                </legend>
                <AgentFields game={game} agent={agentOf(table, player)} onChange={(agent) => set(withAgent(table, player, agent))} />
              </fieldset>
            ))
          ) : (
            <AgentFields game={game} agent={table} onChange={set} />
          )}
          <Select
            label={t("Clock")}
            value={table.clock}
            onChange={(clock) => {
              resetClock(spot.id ?? "");
              set({ clock, late: null });
            }}
            options={CLOCKS.map((setting) => ({ value: setting, text: clockText(setting) }))}
          />
          <label class="option">
            <span>{t("Sounds")}</span>
            <input
              type="checkbox"
              checked={sounds}
              onChange={(event) => {
                turnSounds(event.currentTarget.checked);
                setSounds(event.currentTarget.checked);
              }}
            />
          </label>
        </section>
      </div>
    </div>
  );
}

/** How strong an agent is, and what it thinks with. */
function AgentFields(props: {
  game: GameInfo;
  agent: { level: string; model: string };
  onChange: (change: { level?: string; model?: string }) => void;
}): JSX.Element {
  const { game, agent } = props;
  return (
    <>
      <Select
        label={t("Level")}
        value={agent.level}
        onChange={(level) => props.onChange({ level })}
        options={game.levels.map((level) => ({ value: level.name, text: levelText(level.name, level.simulations) }))}
      />
      {game.models.length > 1 && (
        <Select
          label={t("Thinks with")}
          value={agent.model}
          onChange={(model) => props.onChange({ model })}
          options={game.models.map((model) => ({ value: model, text: modelText(model) }))}
        />
      )}
    </>
  );
}

/** A knock for every move that is made while one looks on, and two notes at the end. */
function useSounds(state: State | null, current: boolean): void {
  const before = useRef<number | null>(null);
  const count = state && current ? state.position.moves.length : null;
  useEffect(() => {
    if (count === null) return;
    if (before.current !== null && count === before.current + 1) {
      if (state?.outcome) endOfGame();
      else knock();
    }
    before.current = count;
  }, [count]);
}

/** The agent's move, asked for whenever it is its turn. A change of anything ends the search. Says why it has none. */
function useAgent(
  app: App,
  table: Table,
  moves: boolean,
  toMove: Player,
  onMove: (text: string, state: State) => void,
): string | null {
  const { side } = table;
  const { position } = table.spot;
  const { level, model } = agentOf(table, side === "watch" ? toMove : 0);
  const asked = [moves, positionKey(position), level, model, side];
  const [failure, setFailure] = useStateOf<string | null>(null, asked);
  useLayoutEffect(() => {
    if (!moves) return; // after Undo or Pause no answer may come in between
    let gone = false;
    const earliest = Date.now() + (side === "watch" ? 1000 * WATCH_SECONDS : 0);
    const request = app.connection.request("choose", { position, model, level });
    request.answer.then(
      (chosen) => {
        keepLead(model, position, chosen.analysis);
        setTimeout(() => gone || onMove(chosen.text, chosen.state), earliest - Date.now());
      },
      (error: Error) => gone || setFailure(error.message),
    );
    return () => {
      gone = true;
      request.drop();
    };
  }, asked);
  return failure;
}

function Status(props: {
  board: BoardShape;
  state: State | null;
  table: Table;
  failure: string | null; // why the agent can't move
  problem: string | null; // why there is no such position
  paused: boolean;
}): JSX.Element {
  const { board, state, table } = props;
  if (state === null) return <h1 role="status">{props.problem ? t("Not possible") : "…"}</h1>;
  const player: Player | null = state.outcome ? state.outcome.winner : table.late !== null ? ((1 - table.late) as Player) : table.resigned ? opponent(table.side) : state.to_move;
  return (
    <div class="status" role="status">
      {player !== null && <StoneIcon board={board} player={player} />}
      <div>
        <h1>{headline(board, state, table, props.paused)}</h1>
        <p class="soft small">{props.failure ?? explanation(board, state, table)}</p>
      </div>
    </div>
  );
}

function headline(board: BoardShape, state: State, table: Table, paused: boolean): string {
  const { side } = table;
  if (state.outcome) {
    const { winner } = state.outcome;
    if (winner === null) return t("A draw");
    if (side === "watch") return capital(outcomeText(state.outcome, board.players));
    return side === String(winner) ? t("You win") : t("The agent wins");
  }
  if (isLookingBack(table)) return t("After {n} {n:move|moves}", { n: table.spot.position.moves.length });
  if (table.late !== null) return t("Time is up");
  if (table.resigned) return t("You resigned");
  if (side === "watch") return paused ? t("Paused") : t("{player} to move", { player: capital(board.players[state.to_move]) });
  return side === String(state.to_move) ? t("Your turn") : t("The agent’s turn");
}

function explanation(board: BoardShape, state: State, table: Table): string {
  if (state.outcome) {
    const { moves, options } = table.spot.position;
    const komi = options["komi"] === undefined ? "" : `, ${t("komi {komi}", { komi: String(options["komi"]) })}`; // without it a score is a riddle
    return `${stopped(outcomeSentence(state.outcome, board.players))} ${stopped(t("The end after {n} {n:move|moves}", { n: moves.length }) + komi)}`;
  }
  const names = board.players.map(capital) as [string, string];
  if (isLookingBack(table)) return t("The game has {n} {n:move|moves}.", { n: table.spot.line.length });
  if (table.late !== null) return t("{player} had no time left: {winner} wins.", { player: names[table.late], winner: names[1 - table.late] ?? "" });
  if (table.resigned) return stopped(t("{player} wins", { player: names[opponent(table.side)] }));
  if (table.side === "watch") return table.second ? t("Two agents play.") : t("The agent plays both sides.");
  return table.side !== String(state.to_move) ? t("Thinking …") : t("You play {player}.", { player: names[Number(table.side) as Player] });
}

function Named({ board, player }: { board: BoardShape; player: Player }): JSX.Element {
  return (
    <>
      <StoneIcon board={board} player={player} />
      {capital(board.players[player])}
    </>
  );
}

function levelText(name: string, simulations: number): string {
  return `${capital(name)} · ${simulations <= 1 ? t("no search") : t("{n} simulations", { n: simulations })}`;
}
