// A game against the agent. The place says everything about it (game, moves, side, level), so a reload, a new
// connection or a link goes on with the same game.

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { App } from "../app";
import { keep, remember } from "../app";
import { Actions } from "../board/actions";
import { Board } from "../board/board";
import { StoneIcon } from "../board/pieces";
import { GamePicker, Segments, Select, Waiting, capital, copyLink, modelText, percent } from "../controls";
import { readPosition, writeLink } from "../link";
import type { Action, BoardShape, GameInfo, Move, Options, Player, Position, State } from "../protocol";
import { after, askState, keepState, positionKey, startOf, useShown } from "../shown";
import "./play.css";

type Side = "0" | "1" | "watch"; // the visitor's; watch: agent against agent

interface Table {
  position: Position;
  side: Side;
  level: string;
  model: string;
  resigned: boolean; // by the visitor
}

const WATCH_SECONDS = 0.5; // between two moves of agents, so that one can follow
const HINT_SIMULATIONS = 400;
const HINT_SECONDS = 2;

export function PlayScreen({ app }: { app: App }): JSX.Element {
  const game = gameOf(app);
  const table = readTable(app, game);
  const { position, side } = table;
  const key = positionKey(position);
  const { state, current, problem } = useShown(app, position);
  const [paused, setPaused] = useState(false);
  const [hint, setHint] = useState<{ key: string; move: Move } | "asked" | null>(null);

  const set = (change: Partial<Table>): void => {
    const next = { ...table, ...change };
    keep(`play.${game.name}`, JSON.stringify({ side: next.side, level: next.level, model: next.model }));
    app.go(writeTable(next), "replace");
  };
  const board = state?.board ?? game.board;
  const over = state !== null && (state.outcome !== null || table.resigned);
  const agentMoves = current && state !== null && !over && (side === "watch" ? !paused : side !== String(state.to_move));
  const failure = useAgent(app, table, agentMoves, (text, next) => {
    keepState(after(position, text), next);
    set({ position: after(position, text) });
  });
  useEffect(() => setHint(null), [key]);

  const yourTurn = current && !over && state !== null && side === String(state.to_move);
  const play = (action: Action): void => set({ position: after(position, action.text) });
  const newGame = (changed: GameInfo = game, options: Options = position.options): void => {
    setPaused(false);
    const fresh = { ...startOf(changed), options };
    if (changed === game) set({ position: fresh, resigned: false });
    else app.go(writeTable({ ...savedTable(changed), position: fresh }));
  };
  const undo = async (): Promise<void> => {
    const moves = [...position.moves];
    do moves.pop();
    while (moves.length > 0 && side !== "watch" && String((await askState(app, { ...position, moves })).to_move) !== side);
    setPaused(true);
    set({ position: { ...position, moves }, resigned: false });
  };
  const askHint = (): void => {
    setHint("asked");
    app.connection
      .request("analyse", { position, model: table.model, simulations: HINT_SIMULATIONS, seconds: HINT_SECONDS })
      .answer.then(
        ({ moves: [move] }) => setHint(move ? { key, move } : null),
        (error: Error) => {
          setHint(null);
          app.notify(error.message);
        },
      );
  };
  const shownHint = hint !== null && hint !== "asked" && hint.key === key ? hint.move : null;
  const canUndo = position.moves.length > (side === "1" ? 1 : 0);

  return (
    <div class="table" data-current={current}>
      {state ? (
        <Board
          board={board}
          state={state}
          label={`${game.title} board`}
          {...(yourTurn ? { onPlay: play } : {})}
          hint={shownHint}
        />
      ) : (
        <Waiting problem={problem} />
      )}
      <div class="panel">
        <section class="card status-card">
          <Status board={board} state={state} table={table} failure={failure} problem={problem} paused={paused} />
          {shownHint && (
            <p class="hint small">
              Try <strong>{shownHint.text}</strong>: the agent gives it {percent(shownHint.win_rate)}.
            </p>
          )}
          {yourTurn && <Actions state={state} onPlay={play} />}
          <div class="buttons even">
            <button type="button" disabled={!canUndo} onClick={() => void undo()}>
              Undo
            </button>
            {side === "watch" ? (
              <button type="button" disabled={over} onClick={() => setPaused(!paused)}>
                {paused ? "Go on" : "Pause"}
              </button>
            ) : (
              <>
                <button type="button" disabled={!yourTurn || hint === "asked"} onClick={askHint}>
                  Hint
                </button>
                <button type="button" disabled={over || !position.moves.length} onClick={() => set({ resigned: true })}>
                  Resign
                </button>
              </>
            )}
          </div>
          <button type="button" class={over ? "primary" : ""} onClick={() => newGame()}>
            New game
          </button>
        </section>
        <section class="card" aria-label="Settings">
          <GamePicker app={app} position={position} onChange={newGame} />
          <div class="field">
            <span class="label-text">You play</span>
            <Segments<Side>
              label="You play"
              value={side}
              onChange={(changed) => {
                setPaused(false);
                set({ side: changed });
              }}
              options={[
                { value: "0", label: `${board.players[0]}, who moves first`, content: <Named board={board} player={0} /> },
                { value: "1", label: `${board.players[1]}, who moves second`, content: <Named board={board} player={1} /> },
                { value: "watch", label: "Watch the agent play itself", content: "Watch" },
              ]}
            />
          </div>
          <Select
            label="Level"
            value={table.level}
            onChange={(level) => set({ level })}
            options={game.levels.map((level) => ({ value: level.name, text: levelText(level.name, level.simulations) }))}
          />
          {game.models.length > 1 && (
            <Select
              label="Thinks with"
              value={table.model}
              onChange={(model) => set({ model })}
              options={game.models.map((model) => ({ value: model, text: modelText(model) }))}
            />
          )}
        </section>
        <Moves moves={position.moves} />
        <div class="buttons">
          <a class="button quiet" href={writeLink("analyse", position, { model: table.model })}>
            Analyse this game
          </a>
          <button type="button" class="quiet" onClick={() => void copyLink(app, writeTable(table))}>
            Copy link
          </button>
        </div>
      </div>
    </div>
  );
}

/** The agent's move, asked for whenever it is its turn. A change of anything ends the search. Says why it has none. */
function useAgent(app: App, table: Table, moves: boolean, onMove: (text: string, state: State) => void): string | null {
  const { position, level, model, side } = table;
  const [failure, setFailure] = useState<string | null>(null);
  useEffect(() => {
    setFailure(null);
    if (!moves) return;
    let gone = false;
    const earliest = Date.now() + (side === "watch" ? 1000 * WATCH_SECONDS : 0);
    const request = app.connection.request("choose", { position, model, level });
    request.answer.then(
      (chosen) => setTimeout(() => gone || onMove(chosen.text, chosen.state), earliest - Date.now()),
      (error: Error) => gone || setFailure(error.message),
    );
    return () => {
      gone = true;
      request.drop();
    };
  }, [moves, positionKey(position), level, model, side]);
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
  if (state === null) return <h1 role="status">{props.problem ? "Not possible" : "…"}</h1>;
  const player: Player | null = state.outcome ? state.outcome.winner : table.resigned ? opponent(table.side) : state.to_move;
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
    const { winner, text } = state.outcome;
    if (winner === null) return "A draw";
    if (side === "watch") return capital(text);
    return side === String(winner) ? "You win" : "The agent wins";
  }
  if (table.resigned) return "You resigned";
  if (side === "watch") return paused ? "Paused" : `${capital(board.players[state.to_move])} to move`;
  return side === String(state.to_move) ? "Your turn" : "The agent’s turn";
}

function explanation(board: BoardShape, state: State, table: Table): string {
  if (state.outcome) {
    const { moves, options } = table.position;
    const komi = options["komi"] === undefined ? "" : `, komi ${options["komi"]}`; // without it a score is a riddle
    return `${state.outcome.sentence}. The end after ${count(moves.length, "move")}${komi}.`;
  }
  const names = board.players.map(capital) as [string, string];
  if (table.resigned) return `${names[opponent(table.side)]} wins.`;
  if (table.side === "watch") return "The agent plays both sides.";
  return table.side !== String(state.to_move) ? "Thinking …" : `You play ${names[Number(table.side) as Player]}.`;
}

function opponent(side: Side): Player {
  return side === "1" ? 0 : 1;
}

function Moves({ moves }: { moves: string[] }): JSX.Element | null {
  if (!moves.length) return null;
  return (
    <section aria-label="Moves of this game">
      <ol class="move-list number">
        {moves.map((text, ply) => (
          <li>
            {ply % 2 === 0 && <span class="soft">{ply / 2 + 1}.</span>}
            {text}
          </li>
        ))}
      </ol>
    </section>
  );
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
  return `${capital(name)} · ${simulations <= 1 ? "no search" : `${simulations} simulations`}`;
}

function count(number: number, thing: string): string {
  return `${number} ${thing}${number === 1 ? "" : "s"}`;
}

// The table as a link.

function gameOf(app: App): GameInfo {
  const { games, place } = app;
  const named = (name: string | null): GameInfo | undefined => games.find((game) => game.name === name);
  return named(place.subject) ?? named("connect_four") ?? (games[0] as GameInfo);
}

/** A new game, with the side and level that were used for this game the last time. */
function savedTable(game: GameInfo): Table {
  const saved = JSON.parse(remember(`play.${game.name}`) ?? "{}") as Partial<Table>;
  return fitting(game, { position: startOf(game), side: "0", level: "", model: "", resigned: false, ...saved });
}

function readTable(app: App, game: GameInfo): Table {
  const { query } = app.place;
  const saved = savedTable(game);
  return fitting(game, {
    position: readPosition(app.place, app.games) ?? saved.position,
    side: query["side"] === "0" || query["side"] === "1" || query["side"] === "watch" ? query["side"] : saved.side,
    level: query["level"] ?? saved.level,
    model: query["model"] ?? saved.model,
    resigned: query["resigned"] === "yes",
  });
}

/** With a level and a model that the game has. */
function fitting(game: GameInfo, table: Table): Table {
  const level = game.levels.some(({ name }) => name === table.level) ? table.level : game.default_level;
  const model = game.models.includes(table.model) ? table.model : (game.models[0] ?? "uniform");
  return { ...table, level, model };
}

function writeTable({ position, side, level, model, resigned }: Table): string {
  return writeLink("play", position, { side, level, model, ...(resigned ? { resigned: "yes" } : {}) });
}
