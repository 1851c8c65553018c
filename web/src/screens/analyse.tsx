// Analysis: what the network and the search think of any position, and a tree of the moves that were looked at. The
// place says which position; the tree is kept in the browser, a game its own.

import type { JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { App } from "../app";
import { keep, remember } from "../app";
import { Actions } from "../board/actions";
import { Board } from "../board/board";
import { aspect } from "../board/geometry";
import type { Heat, MoveLabel } from "../board/layers";
import { GamePicker, Segments, Select, UNTRAINED, Waiting, copyLink, modelText, percent, short } from "../controls";
import { http } from "../connection";
import { type Branch, packTree, readMoves, unpackTree, wholeLine, withLine, withoutLine } from "../game_tree";
import { readPosition, writeLink } from "../link";
import type { Action, Analysis, BoardShape, GameInfo, Move, Position, State } from "../protocol";
import { askState, positionKey, startOf, useShown } from "../shown";
import { TreeView } from "../tree_view";
import { ValueBar, firstWinRate } from "../value_bar";
import { WinGraph } from "../win_graph";
import "./analyse.css";

type Layer = "search" | "policy" | "ownership" | "none";

const QUICK_SIMULATIONS = 200; // on arriving at a position
const GRAPH_SIMULATIONS = 32; // for each other position of the game, so that the graph fills itself
const WITHOUT_NETWORK = 10; // times as many: they cost little and know little
const DEEPER = 4; // times as many simulations
const MOST_LABELS = 8;
const LONGEST_LINE_SHOWN = 8; // moves

export function AnalyseScreen({ app }: { app: App }): JSX.Element {
  const game = app.games.find((one) => one.name === app.place.subject) ?? firstGame(app);
  const position = readPosition(app.place, app.games) ?? startOf(game);
  const asked = app.place.query["model"] ?? "";
  const model = game.models.includes(asked) ? asked : (game.models[0] ?? "uniform");
  const { state, current, problem } = useShown(app, position);
  const board = state?.board ?? game.board;
  const [asLayer, setLayer] = useState<Layer>("search");
  const [pointed, setPointed] = useState<string | null>(null); // text of the move whose line is shown
  const [tree, setTree] = useTree(position);
  const line = useMemo(() => wholeLine(tree, position.moves), [tree, positionKey(position)]);

  const jump = (moves: string[], how?: "replace"): void => {
    setPointed(null);
    app.go(writeLink("analyse", { ...position, moves }, { model }), how ?? "replace");
  };
  const play = (text: string): void => jump([...position.moves, text]);
  const ready = current && state !== null && state.outcome === null;
  const search = useSearch(app, position, model, ready);
  const values = useValues(app, { ...position, moves: line }, model, search, state, current);
  const { analysis } = search;
  useArrowKeys(position.moves.length, line, jump);

  const moves = analysis?.moves ?? [];
  const shownLine = state && pointed !== null ? moves.find(({ text }) => text === pointed) : undefined;
  const hasOwnership = analysis?.ownership != null;
  const layer = (asLayer === "ownership" && !hasOwnership) || (asLayer === "policy" && UNTRAINED.has(model)) ? "search" : asLayer;
  const onHover = (cell: number | null): void => {
    const found = state && cell !== null && layer === "search" ? moves.find((move) => covers(board, move, cell)) : null;
    setPointed(found?.text ?? null);
  };
  return (
    <div class="table analyse">
      <div class="panel board-side" style={{ "--aspect": aspect(board) }}>
        <ValueBar board={board} analysis={analysis} outcome={current ? (state?.outcome ?? null) : null} />
        {state ? (
          <Board
            board={board}
            state={state}
            label={`${game.title} board`}
            {...(ready ? { onPlay: (action: Action) => play(action.text) } : {})}
            onHover={onHover}
            labels={layer === "search" && !shownLine && current ? labelsOf(moves) : undefined}
            heat={layer === "policy" && current && analysis ? heatOf(state, analysis) : undefined}
            ownership={layer === "ownership" && current ? analysis?.ownership : undefined}
            line={shownLine?.drawn.map((step, ply) => ({ ...step, number: ply + 1 }))}
          />
        ) : (
          <Waiting problem={problem} />
        )}
        {ready && <Actions state={state} onPlay={(action) => play(action.text)} />}
        {state?.outcome && <p class="over">The game is over. {state.outcome.sentence}.</p>}
      </div>
      <div class="panel">
        <section class="card" aria-label="Search">
          <Segments<Layer>
            label="Shown on the board"
            value={layer}
            onChange={setLayer}
            options={[
              { value: "search", content: "Best moves", label: "Best moves: win rate and visits found by the search" },
              ...(UNTRAINED.has(model)
                ? []
                : [{ value: "policy" as const, content: "Network", label: "Network: how likely the network alone finds each move" }]),
              ...(hasOwnership
                ? [{ value: "ownership" as const, content: "Territory", label: "Territory: who will own each point" }]
                : []),
              { value: "none", content: "Off", label: "Nothing over the board" },
            ]}
          />
          <SearchControls search={search} ready={ready} />
          <MoveTable moves={moves} total={sum(moves)} pointed={pointed} onPoint={setPointed} onPlay={play} />
        </section>
        <section class="card" aria-label="Game">
          <WinGraph board={board} values={values} at={position.moves.length} onJump={(count) => jump(line.slice(0, count))} />
          <Steps at={position.moves.length} line={line} onJump={jump} />
          <TreeView tree={tree} at={position.moves} onJump={jump} />
        </section>
        <Tools app={app} position={position} line={line} model={model} tree={tree} setTree={setTree} jump={jump} />
        <section class="card" aria-label="Settings">
          <GamePicker
            app={app}
            position={position}
            onChange={(changed, options) => app.go(writeLink("analyse", { ...startOf(changed), options }))}
          />
          {game.models.length > 1 && (
            <Select
              label="Thinks with"
              value={model}
              onChange={(name) => app.go(writeLink("analyse", position, { model: name }), "replace")}
              options={game.models.map((name) => ({ value: name, text: modelText(name) }))}
            />
          )}
        </section>
      </div>
    </div>
  );
}

function firstGame(app: App): GameInfo {
  return app.games.find(({ name }) => name === "connect_four") ?? (app.games[0] as GameInfo);
}

// The search.

interface Search {
  analysis: Analysis | null; // of the position shown
  running: boolean;
  live: boolean; // goes on until stopped, also at the next position
  setLive: (live: boolean) => void;
  stop: () => void;
  deepen: () => void;
}

/** A quick search of every position shown, deeper or without end when asked. Leaving the position ends it. */
function useSearch(app: App, position: Position, model: string, ready: boolean): Search {
  const key = `${model} ${positionKey(position)}`;
  const [found, setFound] = useState<{ key: string; analysis: Analysis } | null>(null);
  const [running, setRunning] = useState(false);
  const [live, setLive] = useState(false);
  const [budget, setBudget] = useState<{ key: string; simulations: number } | null>(null);
  const stop = useRef<() => void>(() => undefined);
  const simulations = budget?.key === key ? budget.simulations : QUICK_SIMULATIONS * cheapness(model);
  const analysis = found?.key === key ? found.analysis : null;

  useEffect(() => {
    if (!ready) return;
    const limit = live ? {} : { simulations };
    const request = app.connection.request("analyse", { position, model, ...limit }, (heard) => setFound({ key, analysis: heard }));
    stop.current = request.stop;
    setRunning(true);
    request.answer.then(
      () => setRunning(false),
      (error: Error) => {
        setRunning(false);
        setLive(false);
        app.notify(error.message);
      },
    );
    return () => {
      request.drop();
      setRunning(false);
    };
  }, [key, ready, live, simulations]);

  return {
    analysis,
    running,
    live,
    setLive,
    stop: () => stop.current(),
    deepen: () => setBudget({ key, simulations: DEEPER * Math.max(simulations, analysis?.simulations ?? 0) }),
  };
}

function cheapness(model: string): number {
  return UNTRAINED.has(model) ? WITHOUT_NETWORK : 1;
}

function SearchControls({ search, ready }: { search: Search; ready: boolean }): JSX.Element {
  const { analysis, running, live } = search;
  const speed = analysis && analysis.seconds > 0.05 ? ` · ${short(Math.round(analysis.simulations / analysis.seconds))} a second` : "";
  return (
    <div class="search-controls">
      <div class="buttons">
        <button type="button" class={live ? "" : "primary"} disabled={!ready} aria-pressed={live} onClick={() => search.setLive(!live)}>
          {live ? "Stop" : "Start live search"}
        </button>
        {!live && (
          <button type="button" disabled={!ready} onClick={running ? search.stop : search.deepen}>
            {running ? "Stop" : "Deeper"}
          </button>
        )}
      </div>
      <p class="soft small number" data-simulations={analysis?.simulations} data-running={running}>
        {analysis ? `${short(sum(analysis.moves))} visits${speed}` : ready ? "Searching …" : ""}
      </p>
    </div>
  );
}

function MoveTable(props: {
  moves: Move[];
  total: number; // visits
  pointed: string | null;
  onPoint: (text: string | null) => void;
  onPlay: (text: string) => void;
}): JSX.Element | null {
  if (!props.moves.length) return null;
  return (
    <table class="moves number" onMouseLeave={() => props.onPoint(null)}>
      <thead>
        <tr>
          <th scope="col">Move</th>
          <th scope="col">Wins</th>
          <th scope="col">Visits</th>
          <th scope="col" title="What the network thought of it before any search">
            Prior
          </th>
          <th scope="col" class="line-column">
            Line
          </th>
        </tr>
      </thead>
      <tbody>
        {props.moves.slice(0, MOST_LABELS).map((move, index) => (
          <tr
            class={`${index === 0 ? "best" : ""} ${props.pointed === move.text ? "pointed" : ""}`}
            data-move={move.text}
            data-visits={move.visits}
            data-value={move.value}
            data-prior={move.prior}
            onMouseEnter={() => props.onPoint(move.text)}
          >
            <th scope="row">
              <button
                type="button"
                class="quiet"
                aria-label={`Play ${move.text}`}
                onFocus={() => props.onPoint(move.text)}
                onBlur={() => props.onPoint(null)}
                onClick={() => props.onPlay(move.text)}
              >
                {move.text}
              </button>
            </th>
            <td>{percent(move.win_rate)}</td>
            <td>
              <span class="share" style={{ "--share": move.visits / Math.max(1, props.total) }}>
                {short(move.visits)}
              </span>
            </td>
            <td>
              <span class="share prior" style={{ "--share": move.prior }}>
                {percent(move.prior)}
              </span>
            </td>
            <td class="line-column soft">{move.line.slice(1, LONGEST_LINE_SHOWN).join(" ")}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

// What is drawn over the board.

function sum(moves: Move[]): number {
  return moves.reduce((total, move) => total + move.visits, 0);
}

function labelsOf(moves: Move[]): MoveLabel[] {
  const total = Math.max(1, sum(moves));
  return moves.flatMap((move, index) => {
    const target = move.target ?? move.source;
    if (target === null || (index > 0 && move.visits === 0)) return [];
    const { source, piece } = move;
    const main = String(Math.round(100 * move.win_rate));
    return [{ source, target, piece, main, detail: short(move.visits), weight: move.visits / total, best: index === 0 }];
  }).slice(0, MOST_LABELS);
}

function heatOf(state: State, analysis: Analysis): Heat[] {
  const legal = new Map(state.legal.map((action) => [action.action, action]));
  return analysis.policy.flatMap(({ action, prior }) => {
    const { source = null, target = null, piece = null } = legal.get(action) ?? {};
    const cell = target ?? source;
    return cell === null ? [] : [{ source, target: cell, piece, value: prior }];
  });
}

/** Whether a cell is one that a press would take for this move, or for its beginning. */
function covers(board: BoardShape, { source, target }: Move, cell: number): boolean {
  if (board.layout === "columns") return target !== null && target % board.width === cell % board.width;
  return target === cell || source === cell;
}

// The tree, the graph and the way through them.

function useTree(position: Position): [Branch, (tree: Branch) => void] {
  const name = `tree.${positionKey({ ...position, moves: [] })}`;
  const [kept, setKept] = useState<{ name: string; tree: Branch } | null>(null);
  const stored = kept?.name === name ? kept.tree : unpackTree(remember(name));
  const tree = withLine(stored, position.moves);
  useEffect(() => {
    setKept({ name, tree });
    keep(name, packTree(tree));
  }, [name, positionKey(position)]);
  const setTree = (changed: Branch): void => {
    setKept({ name, tree: changed });
    keep(name, packTree(changed));
  };
  return [tree, setTree];
}

/** The first player's win rate after 0, 1, 2 .. moves of a line. What is not known is searched a little, one by one. */
function useValues(app: App, line: Position, model: string, search: Search, state: State | null, current: boolean): (number | undefined)[] {
  const known = useRef(new Map<string, number>()).current;
  const [, redraw] = useState(0);
  const keyAt = (count: number): string => `${model} ${positionKey({ ...line, moves: line.moves.slice(0, count) })}`;
  if (current && state?.outcome) known.set(`${model} ${positionKey(state.position)}`, winRateOf(state));
  if (search.analysis) known.set(`${model} ${positionKey(search.analysis.state.position)}`, firstWinRate(search.analysis));
  const counts = Array.from({ length: line.moves.length + 1 }, (_, count) => count);
  const values = counts.map((count) => known.get(keyAt(count)));
  const missing = values.indexOf(undefined);
  const waiting = search.running || (search.analysis === null && !(current && state?.outcome));
  const next = missing >= 0 && !waiting ? keyAt(missing) : null;
  useEffect(() => {
    if (next === null) return;
    const position = { ...line, moves: line.moves.slice(0, missing) };
    let gone = false;
    let drop = (): void => undefined;
    const settle = (value: number): void => {
      if (gone) return;
      known.set(next, value);
      redraw((count) => count + 1);
    };
    askState(app, position)
      .then((there) => {
        if (gone || there.outcome) return settle(winRateOf(there));
        const request = app.connection.request("analyse", {
          position,
          model,
          simulations: GRAPH_SIMULATIONS * cheapness(model),
        });
        drop = request.drop;
        return request.answer.then((analysis) => settle(firstWinRate(analysis)));
      })
      .catch(() => settle(Number.NaN)); // unknown, and not asked again
    return () => {
      gone = true;
      drop();
    };
  }, [next]);
  return values;
}

function winRateOf(state: State): number {
  const winner = state.outcome?.winner ?? null;
  return winner === null ? 0.5 : winner === 0 ? 1 : 0;
}

function Steps(props: { at: number; line: string[]; onJump: (moves: string[]) => void }): JSX.Element {
  const { at, line } = props;
  const step = (label: string, to: number, path: string): JSX.Element => (
    <button type="button" class="quiet" aria-label={label} title={label} disabled={to === at} onClick={() => props.onJump(line.slice(0, to))}>
      <svg viewBox="0 0 24 24" aria-hidden="true">
        <path d={path} />
      </svg>
    </button>
  );
  return (
    <div class="buttons even steps" role="group" aria-label="Step through the game">
      {step("To the start", 0, "M6 5v14M19 5l-9 7 9 7")}
      {step("Back", Math.max(0, at - 1), "M16 5l-9 7 9 7")}
      {step("Forward", Math.min(line.length, at + 1), "M8 5l9 7-9 7")}
      {step("To the end", line.length, "M18 5v14M5 5l9 7-9 7")}
    </div>
  );
}

function useArrowKeys(at: number, line: string[], jump: (moves: string[]) => void): void {
  const latest = useRef({ at, line, jump });
  latest.current = { at, line, jump };
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const busy = (event.target as Element).closest("input, select, textarea, dialog, [role=grid]");
      if (busy || event.altKey || event.ctrlKey || event.metaKey) return;
      const { at, line, jump } = latest.current;
      if (event.key === "ArrowLeft" && at > 0) jump(line.slice(0, at - 1));
      else if (event.key === "ArrowRight" && at < line.length) jump(line.slice(0, at + 1));
      else if (event.key === "Home" && at > 0) jump([]);
      else if (event.key === "End" && at < line.length) jump(line);
      else return;
      event.preventDefault();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
}

// In and out.

function Tools(props: {
  app: App;
  position: Position;
  line: string[];
  model: string;
  tree: Branch;
  setTree: (tree: Branch) => void;
  jump: (moves: string[], how?: "replace") => void;
}): JSX.Element {
  const { app, position, line, setTree } = props;
  const dialog = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState("");
  const [problem, setProblem] = useState<string | null>(null);
  const whole = { ...position, moves: line };
  const name = `${position.game}-${line.length}`;

  const paste = async (): Promise<void> => {
    try {
      const read = text.trim().startsWith("(")
        ? (await http<{ position: Position }>("/api/sgf/read", { text })).position
        : { ...position, moves: readMoves(text) };
      const state = await askState(app, read);
      dialog.current?.close();
      setText("");
      app.go(writeLink("analyse", { ...read, moves: state.position.moves }));
    } catch (error) {
      setProblem((error as Error).message);
    }
  };
  const downloadSgf = async (): Promise<void> => {
    try {
      const written = await http<{ text: string }>("/api/sgf/write", { position: whole });
      download(`${name}.sgf`, written.text, "application/x-go-sgf");
    } catch (error) {
      app.notify((error as Error).message);
    }
  };
  const removeFromHere = (): void => {
    setTree(withoutLine(props.tree, position.moves));
    props.jump(position.moves.slice(0, -1));
  };
  return (
    <section class="buttons tools" aria-label="Game in and out">
      <button type="button" class="quiet" onClick={() => dialog.current?.showModal()}>
        Paste a game
      </button>
      <button type="button" class="quiet" onClick={() => download(`${name}.txt`, `${line.join(" ")}\n`, "text/plain")}>
        Download moves
      </button>
      <button type="button" class="quiet" onClick={() => void downloadSgf()}>
        Download SGF
      </button>
      <button type="button" class="quiet" onClick={() => void copyLink(app, writeLink("analyse", position, { model: props.model }))}>
        Copy link
      </button>
      <button type="button" class="quiet" disabled={!position.moves.length} onClick={removeFromHere}>
        Remove from here
      </button>
      <a class="button quiet" href={writeLink("play", position)}>
        Play from here
      </a>
      <dialog ref={dialog} aria-label="Paste a game">
        <form
          method="dialog"
          onSubmit={(event) => {
            event.preventDefault();
            void paste();
          }}
        >
          <h1>Paste a game</h1>
          <label class="soft small" for="pasted">
            Moves in order, or a game in SGF.
          </label>
          <textarea id="pasted" value={text} onInput={(event) => setText(event.currentTarget.value)} />
          {problem && <p role="alert">{problem}</p>}
          <div class="buttons">
            <button type="submit" class="primary" disabled={!text.trim()}>
              Show it
            </button>
            <button type="button" onClick={() => dialog.current?.close()}>
              Cancel
            </button>
          </div>
        </form>
      </dialog>
    </section>
  );
}

function download(name: string, text: string, type: string): void {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = Object.assign(document.createElement("a"), { href: address, download: name });
  link.click();
  URL.revokeObjectURL(address);
}
