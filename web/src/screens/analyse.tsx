// Analysis: what the network and the search think of any position, and a tree of the moves that were looked at. The
// place says which game and where in it; the tree with its variations is a document that the browser keeps.

import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import { lineThrough, useDocument } from "../analyse/document";
import { MOST_SHOWN, MoveTable } from "../analyse/move_table";
import { OpeningCard } from "../analyse/openings";
import { type Grade, ReviewCard, type ReviewedMove, SYMBOLS, reviewOf } from "../analyse/review";
import { SearchControls, sum, useSearch } from "../analyse/search";
import { Shelf } from "../analyse/shelf";
import { Tools } from "../analyse/tools";
import { learnEnd, learnFrom, useValues } from "../analyse/values";
import type { App } from "../app";
import { Actions } from "../board/actions";
import { Board } from "../board/board";
import { aspect, canFlip } from "../board/geometry";
import type { Heat, MoveLabel } from "../board/layers";
import { GamePicker, Segments, Select, UNTRAINED, Waiting, modelText, short } from "../controls";
import { branchAt, notationsOf, withComment, withoutLine } from "../game_tree";
import { t } from "../language";
import { freshId, readSpot, spotAt, writeLink } from "../link";
import { outcomeSentence, stopped } from "../outcomes";
import type { Action, Analysis, BoardShape, Move, State } from "../protocol";
import { firstGame, positionKey, startOf, useShown } from "../shown";
import { useStateOf } from "../state_of";
import { FlipButton, Steps } from "../steps";
import { TreeDrawing } from "../tree_drawing";
import { TreeView } from "../tree_view";
import { ValueBar } from "../value_bar";
import { WinGraph } from "../win_graph";
import { firstToMove, lineText } from "../moves";
import "./analyse.css";

type Layer = "search" | "policy" | "ownership" | "none";

const REVIEW_SIMULATIONS = 200; // of every position of a game that is reviewed

export function AnalyseScreen({ app }: { app: App }): JSX.Element {
  const game = app.games.find((one) => one.name === app.place.subject) ?? firstGame(app.games, "analyse");
  const spot = readSpot(app.place, app.games) ?? spotAt(startOf(game));
  const { position } = spot;
  const asked = app.place.query["model"] ?? "";
  const model = game.models.includes(asked) ? asked : (game.models[0] ?? "uniform");
  const isReviewing = app.place.query["review"] === "yes";
  const more: Record<string, string> = { ...(asked === "" ? {} : { model }), ...(isReviewing ? { review: "yes" } : {}) };
  const { state, current, problem } = useShown(app, position);
  const whole = useShown(app, { ...position, moves: spot.line });
  const isPossible = current && whole.current;
  const straight = state?.board ?? game.board;
  const [isTurned, setTurned] = useState(false);
  const isFlipped = canFlip(straight) && isTurned;
  const board = useMemo(() => (isFlipped ? { ...straight, flipped: true } : straight), [straight, isFlipped]);
  const [isDrawn, setDrawn] = useState(false); // the tree
  const [asLayer, setLayer] = useState<Layer>("search");
  const [pointed, setPointed] = useStateOf<string | null>(null, [positionKey(position)]); // text of the move whose line is shown
  const { document: shown, change } = useDocument(app, spot, isPossible ? whole.state : null, (id) =>
    app.go(writeLink("analyse", { ...spot, id }, more), "replace"),
  );
  const line = lineThrough(shown.tree, position.moves, spot.line);

  const jump = (moves: string[], tree = shown.tree): void => {
    const next = { position: { ...position, moves }, line: lineThrough(tree, moves, line), id: spot.id };
    app.go(writeLink("analyse", next, more), "replace");
  };
  const play = (text: string): void => jump([...position.moves, text]);
  const removeFromHere = (): void => {
    const tree = withoutLine(shown.tree, position.moves);
    change({ tree });
    jump(position.moves.slice(0, -1), tree);
  };
  const ready = current && state !== null && state.outcome === null;
  const search = useSearch(app, position, model, ready);
  const { analysis } = search;
  if (analysis) learnFrom(model, analysis);
  if (current && state?.outcome) learnEnd(model, state);
  const isBusy = search.running || !isPossible || (ready && analysis === null);
  const first = state ? firstToMove(state) : 0;
  const names = lineText(notationsOf(shown.tree, line), first);
  const wanted = isReviewing ? REVIEW_SIMULATIONS : 0;
  const { values, missing } = useValues(app, { ...position, moves: line }, model, wanted, isBusy);
  const reviewed = isReviewing ? reviewOf(line, names, values) : [];
  const graded = reviewed.filter((move) => move?.grade != null) as (ReviewedMove & { grade: Grade })[];
  const grades = new Map(graded.map(({ ply, grade }) => [JSON.stringify(line.slice(0, ply + 1)), grade]));
  const here = graded.find(({ ply }) => ply === position.moves.length - 1);
  const review = (on: boolean): void => {
    const { review: _, ...rest } = more;
    app.go(writeLink("analyse", { ...spot, line }, on ? { ...rest, review: "yes" } : rest), "replace");
  };

  const moves = analysis?.moves ?? [];
  const shownLine = state && pointed !== null ? moves.find(({ text }) => text === pointed) : undefined;
  const hasOwnership = analysis?.ownership != null;
  const layer = (asLayer === "ownership" && !hasOwnership) || (asLayer === "policy" && UNTRAINED.has(model)) ? "search" : asLayer;
  const onHover = (cell: number | null): void => {
    const found = state && cell !== null && layer === "search" ? moves.find((move) => covers(board, move, cell)) : null;
    setPointed(found?.text ?? null);
  };
  const why = problem ?? whole.problem;
  return (
    <div class="table analyse" aria-busy={why === null && !isPossible}>
      <h1 class="visually-hidden">{t("Analysis of {game}", { game: game.title })}</h1>
      <div class="panel board-side" style={{ "--aspect": aspect(board) }}>
        <ValueBar board={board} analysis={analysis} outcome={current ? (state?.outcome ?? null) : null} />
        {state && why === null ? (
          <Board
            board={board}
            state={state}
            label={t("{game} board", { game: game.title })}
            {...(ready ? { onPlay: (action: Action) => play(action.text) } : {})}
            isWaiting={!current}
            onHover={onHover}
            labels={layer === "search" && !shownLine && current ? labelsOf(moves) : undefined}
            heat={layer === "policy" && current && analysis ? heatOf(state, analysis) : undefined}
            ownership={layer === "ownership" && current ? analysis?.ownership : undefined}
            badge={here && state.last?.target != null ? { cell: state.last.target, text: SYMBOLS[here.grade], kind: here.grade } : undefined}
            line={shownLine?.drawn.map((step, ply) => ({ ...step, number: ply + 1 }))}
          />
        ) : (
          <Waiting problem={why} />
        )}
        <Steps at={position.moves.length} count={line.length} onStep={(at) => jump(line.slice(0, at))}>
          {canFlip(straight) && <FlipButton onFlip={() => setTurned(!isTurned)} />}
        </Steps>
        {ready && <Actions state={state} onPlay={(action) => play(action.text)} />}
        {state?.outcome && <p class="over">{t("The game is over.")} {stopped(outcomeSentence(state.outcome, board.players))}</p>}
      </div>
      <div class="panel">
        <section class="card" aria-label={t("Search")}>
          <Segments<Layer>
            label={t("Shown on the board")}
            value={layer}
            onChange={setLayer}
            options={[
              { value: "search", content: t("Best moves"), label: t("Best moves: win rate and visits found by the search") },
              ...(UNTRAINED.has(model)
                ? []
                : [{ value: "policy" as const, content: t("Network"), label: t("Network: how likely the network alone finds each move") }]),
              ...(hasOwnership
                ? [{ value: "ownership" as const, content: t("Territory"), label: t("Territory: who will own each point") }]
                : []),
              { value: "none", content: t("Off"), label: t("Off: nothing over the board") },
            ]}
          />
          <SearchControls search={search} ready={ready} />
          <MoveTable board={board} state={state} moves={moves} pointed={pointed} onPoint={setPointed} onPlay={play} />
        </section>
        {why === null && <OpeningCard app={app} board={board} position={position} analysis={analysis} onPlay={play} />}
        {isReviewing && (
          <ReviewCard
            board={board}
            position={position}
            line={line}
            moves={reviewed}
            missing={missing}
            onJump={(count) => jump(line.slice(0, count))}
            onClose={() => review(false)}
          />
        )}
      </div>
      <div class="panel">
        <section class="card" aria-label={t("Game")}>
          <Shelf app={app} document={shown} position={position} onRename={(name) => change({ name })} />
          <WinGraph
            board={board}
            line={names}
            marks={graded.map(({ ply, grade }) => ({ ply, kind: `grade-${grade}` }))}
            values={values.map((value) => value?.rate)}
            leads={values.map((value) => value?.lead)}
            at={position.moves.length}
            onJump={(count) => jump(line.slice(0, count))}
          />
          {isDrawn ? (
            <TreeDrawing board={board} first={first} tree={shown.tree} at={position.moves} grades={grades} onJump={jump} />
          ) : (
            <TreeView first={first} tree={shown.tree} at={position.moves} grades={grades} onJump={jump} />
          )}
          <Segments<"list" | "drawing">
            label={t("How the moves are shown")}
            value={isDrawn ? "drawing" : "list"}
            onChange={(value) => setDrawn(value === "drawing")}
            options={[
              { value: "list", content: t("List") },
              { value: "drawing", content: t("Tree") },
            ]}
          />
          <textarea
            class="comment"
            aria-label={position.moves.length ? t("Comment on {move}", { move: names[position.moves.length - 1] ?? "" }) : t("Comment on the game")}
            placeholder={position.moves.length ? t("Write about this move …") : t("Write about this game …")}
            value={branchAt(shown.tree, position.moves)?.comment ?? ""}
            disabled={!isPossible}
            onChange={(event) => change({ tree: withComment(shown.tree, position.moves, event.currentTarget.value.trim()) })}
          />
          {!isReviewing && (
            <button type="button" disabled={!line.length} onClick={() => review(true)}>
              {t("Review this game")}
            </button>
          )}
        </section>
        <Tools app={app} spot={{ ...spot, line }} document={shown} model={model} state={current ? state : null} onRemove={removeFromHere} />
        <section class="card" aria-label={t("Settings")}>
          <GamePicker
            app={app}
            position={position}
            onChange={(changed, options) => app.go(writeLink("analyse", spotAt({ ...startOf(changed), options }, freshId())))}
          />
          {game.models.length > 1 && (
            <Select
              label={t("Thinks with")}
              value={model}
              onChange={(name) => app.go(writeLink("analyse", { ...spot, line }, { ...more, model: name }), "replace")}
              options={game.models.map((name) => ({ value: name, text: modelText(name) }))}
            />
          )}
        </section>
      </div>
    </div>
  );
}

// What is drawn over the board.

function labelsOf(moves: Move[]): MoveLabel[] {
  const total = Math.max(1, sum(moves));
  return moves.flatMap((move, index) => {
    const target = move.target ?? move.source;
    if (target === null || (index > 0 && move.visits === 0)) return [];
    const { source, piece } = move;
    const main = String(Math.round(100 * move.win_rate));
    return [{ source, target, piece, main, detail: short(move.visits), weight: move.visits / total, best: index === 0 }];
  }).slice(0, MOST_SHOWN);
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
