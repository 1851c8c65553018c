// The one board: draws any game from what the server says of it, with pieces, legal moves and layers over them. A game
// that does not say what stands on its board is shown as the text it draws.
// Mouse: a press on a cell or column plays; a move from cell to cell is pressed cell by cell, or dragged. Where several
// moves lead from one cell to another, they are offered by name. Keyboard: arrows move a cursor, Enter plays.

import type { JSX } from "preact";
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { t } from "../language";
import type { Action, BoardShape, Player, State, Step } from "../protocol";
import { CELL, cellName, centre, extent, moveCursor, outline, viewBox } from "./geometry";
import { Arrow, Badge, Focus, Ground, type Heat, HEAT_NUMBER_FROM, HeatLayer, InCheck, isLastBelow, Labels, LastMove, LegalDots, LineLayer, type MoveLabel, Names, type NumberedMove, Ownership, Ring, WinningLine } from "./layers";
import { useMotion } from "./motion";
import { isLettered, PieceAt, pieceOf, pieceOfPlayer, pieceWords, styleOf } from "./pieces";
import { moveText } from "../moves";
import { positionKey } from "../shown";
import { useStateOf } from "../state_of";
import { isShogi, promotedCode } from "./shogi";

export interface BoardProps {
  board: BoardShape;
  state: State;
  label?: string; // what a screen reader calls the board
  onPlay?: (action: Action) => void; // absent: only to look at
  isWaiting?: boolean; // another position or the agent's move is on its way: nothing can be played until then
  onHover?: (cell: number | null) => void;
  heat?: Heat[] | undefined;
  labels?: MoveLabel[] | undefined;
  ownership?: number[] | null | undefined; // +1 the first player's, -1 the second's
  line?: NumberedMove[] | undefined;
  hint?: Step | null | undefined;
  badge?: { cell: number; text: string; kind: string } | undefined; // a verdict on what stands there
}

/** What was taken up to be put somewhere: the piece of a cell, or one of a hand. */
type Taken = { source: number; piece: null } | { source: null; piece: number };

const [WIDEST, WIDER] = [27, 3]; // rem: a board of three columns need not fill the window
const DRAG_FROM = 8; // pixels; a hand that shakes less does not drag

export function Board(props: BoardProps): JSX.Element {
  return props.state.cells === null ? <BoardText {...props} /> : <Cells {...props} cells={props.state.cells} />;
}

/** The board as the game draws it, as large as its longest line allows. */
function BoardText({ state, label }: BoardProps): JSX.Element {
  const text = state.text ?? "";
  const longest = Math.max(12, ...text.split("\n").map((line) => line.length));
  return (
    <div class="board-frame">
      <pre class="board-text" role="img" aria-label={`${label ?? t("Board")}: ${text}`} style={{ "--longest": longest }}>
        {text}
      </pre>
    </div>
  );
}

function Cells(props: BoardProps & { cells: number[] }): JSX.Element {
  const { board, state, cells, onPlay } = props;
  const { height, width } = board;
  const [hover, setHover] = useState<number | null>(null);
  const [cursor, setCursor] = useStateOf(Math.floor(height / 2) * width + Math.floor(width / 2), [height, width]); // another board has other cells
  const [focus, setFocus] = useState<number | null>(null);
  const shown = [positionKey(state.position), onPlay === undefined];
  const [taken, setTaken] = useStateOf<Taken | null>(null, shown);
  const [choices, setChoices] = useStateOf<{ actions: Action[]; cell: number } | null>(null, shown);
  const svg = useRef<SVGSVGElement>(null);
  const motion = useMotion(state);

  const { starts, ends } = useMemo(() => pressable(board, state, taken), [state, taken]);
  const playAt = (from: Taken | null, cell: number): boolean => {
    const found = pressable(board, state, from).ends.get(cell) ?? [];
    const [only] = found;
    if (found.length === 1 && only && !(from === null && starts.has(cell))) {
      setTaken(null);
      setChoices(null);
      onPlay?.(only);
    } else setChoices(found.length ? { actions: found, cell } : null);
    return found.length > 0;
  };
  const press = (cell: number): void => {
    if (!onPlay) return;
    const isStart = starts.has(cell) && taken?.source !== cell;
    if (!playAt(taken, cell)) setTaken(isStart ? { source: cell, piece: null } : null);
    else if (taken === null && isStart) setTaken({ source: cell, piece: null }); // and the choices that need no second cell
  };
  const drag = useDrag(svg, (cell) => onPlay !== undefined && starts.has(cell), {
    onStart: (cell) => {
      setChoices(null);
      setTaken({ source: cell, piece: null });
    },
    onDrop: (from, cell) => {
      if (cell === null || !playAt({ source: from, piece: null }, cell)) setTaken(null);
    },
  });
  const pointAt = (cell: number | null): void => {
    setHover(cell);
    props.onHover?.(cell);
  };
  const onKeyDown = (event: JSX.TargetedKeyboardEvent<SVGSVGElement>): void => {
    const next = moveCursor(event.key, cursor, board);
    if (next !== null) {
      setCursor(next);
      svg.current?.querySelector<SVGElement>(`[data-cell="${next}"]`)?.focus();
    } else if (event.key === "Enter" || event.key === " ") press(cursor);
    else if (event.key === "Escape") {
      setTaken(null);
      setChoices(null);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };

  const aimed = hover !== null && onPlay ? ends.get(hover)?.[0] : undefined;
  const numbered = new Set(props.line?.filter(({ source }) => source === null).map(({ target }) => target));
  const inHand = taken ? (taken.piece ?? cells[taken.source] ?? 0) : 0;
  const targets = taken || !starts.size ? [...new Set([...ends.values()].flat().map(({ target, source }) => target ?? source ?? 0))] : [];
  const legal = (cell: number): Action | undefined => ends.get(cell)?.[0] ?? (taken ? undefined : starts.get(cell)?.[0]);
  const hand = (player: Player): JSX.Element | null => (
    <Hand {...props} player={player} taken={taken?.piece ?? null} onTake={(piece) => setTaken({ source: null, piece })} />
  );
  return (
    <div class="board-frame">
      {hand(board.flipped ? 0 : 1)}
      <svg
        ref={svg}
        class={`board look-${styleOf(board)} ${onPlay ? "playable" : ""}`}
        viewBox={viewBox(board)}
        style={{ maxWidth: `calc(var(--board-scale) * ${WIDEST + (WIDER * extent(board)[0]) / CELL}rem)` }}
        role="grid"
        aria-label={props.label ?? t("Board")}
        aria-rowcount={height}
        aria-colcount={width}
        aria-disabled={props.isWaiting ? true : undefined}
        onKeyDown={onKeyDown}
        onMouseLeave={() => pointAt(null)}
        {...drag.handlers}
      >
        <Ground board={board} />
        <Names board={board} />
        {isLastBelow(board, state) && <LastMove board={board} state={state} />}
        <InCheck board={board} state={state} />
        {cells.map((code, cell) => {
          if (code === 0 || numbered.has(cell) || drag.from === cell) return null;
          const [x, y] = centre(board, cell);
          const move = motion.get(cell);
          const from = move?.kind === "moved" ? { "--dx": `${move.dx}px`, "--dy": `${move.dy}px` } : {};
          return (
            <g key={`${cell} ${code}`} class={move ? `piece is-${move.kind}` : "piece"} style={from}>
              <PieceAt board={board} x={x} y={y} code={code} />
            </g>
          );
        })}
        {state.outcome?.reason === "line" && <WinningLine board={board} state={state} />}
        {props.heat && <HeatLayer board={board} heat={props.heat} />}
        {props.ownership && <Ownership board={board} ownership={props.ownership} />}
        {!isLastBelow(board, state) && <LastMove board={board} state={state} />}
        {onPlay && <LegalDots board={board} state={state} cells={targets} isTarget={taken !== null} />}
        {props.labels && <Labels board={board} labels={props.labels} />}
        {props.badge && <Badge board={board} {...props.badge} />}
        {props.line && <LineLayer board={board} line={props.line} />}
        {props.hint && (props.hint.target ?? props.hint.source) !== null && (
          <Ring board={board} cell={(props.hint.target ?? props.hint.source) as number} kind="hint" />
        )}
        {props.hint && <Arrow board={board} step={props.hint} kind="best" weight={0.5} />}
        {taken?.source != null && <Ring board={board} cell={taken.source} kind="source" />}
        {aimed && !drag.at && !props.line?.length && !props.labels?.length && (
          <Ghost board={board} action={aimed} code={inHand || aimed.piece || onlyPiece(board, state.to_move)} />
        )}
        {focus !== null && <Focus board={board} cell={focus} />}
        {Array.from({ length: height }, (_, row) => (
          <g role="row">
            {Array.from({ length: width }, (_, column) => {
              const cell = row * width + column;
              const action = legal(cell);
              const isPlayable = action !== undefined && onPlay !== undefined;
              return (
                <path
                  class={`touch ${isPlayable && starts.has(cell) ? "movable" : ""}`}
                  role="gridcell"
                  data-cell={cell}
                  data-legal={isPlayable ? action.text : undefined}
                  tabindex={cell === cursor ? 0 : -1}
                  aria-label={describe(props, cell, isPlayable)}
                  aria-selected={taken?.source === cell}
                  d={outline(board, cell)}
                  style={{ cursor: isPlayable ? "pointer" : "default" }}
                  onMouseEnter={() => pointAt(cell)}
                  onMouseDown={(event) => event.preventDefault() /* the keyboard stays where it is */}
                  onFocus={() => {
                    setCursor(cell);
                    setFocus(cell);
                  }}
                  onBlur={() => setFocus(null)}
                  onClick={() => press(cell)}
                />
              );
            })}
          </g>
        ))}
        {drag.at && (
          <g class="dragged">
            <PieceAt board={board} x={drag.at[0]} y={drag.at[1]} code={inHand} />
          </g>
        )}
      </svg>
      {choices && (
        <Choices
          actions={choices.actions}
          pieceOf={(action) => <Promoted board={board} action={action} player={state.to_move} moved={action.source === null ? 0 : (cells[action.source] ?? 0)} />}
          onChoose={(action) => {
            setTaken(null);
            setChoices(null);
            onPlay?.(action);
          }}
          onClose={() => setChoices(null)}
        />
      )}
      {hand(board.flipped ? 1 : 0)}
    </div>
  );
}

/** The piece that a player puts on the board, if there is only one kind; else 0. */
function onlyPiece(board: BoardShape, player: Player): number {
  return isLettered(board) ? 0 : pieceOfPlayer(board, player);
}

/** Where a piece would come to stand. */
function Ghost({ board, action, code }: { board: BoardShape; action: Action; code: number }): JSX.Element | null {
  if (action.target === null) return null;
  const [x, y] = centre(board, action.target);
  return (
    <g class="ghost">
      <PieceAt board={board} x={x} y={y} code={code} />
    </g>
  );
}

/** Moves that the cells alone do not tell apart, by name. */
function Choices(props: { actions: Action[]; pieceOf: (action: Action) => JSX.Element | null; onChoose: (action: Action) => void; onClose: () => void }): JSX.Element {
  const first = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => first.current?.focus(), [props.actions]);
  return (
    <div
      class="choices card"
      role="dialog"
      aria-label={t("Which move?")}
      onKeyDown={(event) => event.key === "Escape" && props.onClose()}
    >
      <p class="small soft">{t("Which move?")}</p>
      <div class="buttons">
        {props.actions.map((one, index) => (
          <button type="button" ref={index === 0 ? first : null} data-choice={one.text} onClick={() => props.onChoose(one)}>
            {props.pieceOf(one)}
            {moveText(one.notation)}
          </button>
        ))}
        <button type="button" class="quiet" onClick={props.onClose}>
          {t("Cancel")}
        </button>
      </div>
    </div>
  );
}

/** The piece that a move makes, where its notation says so: e8=Q, or the piece itself beside the one that it may become: 8h2b+. */
function Promoted(props: { board: BoardShape; action: Action; player: Player; moved: number }): JSX.Element | null {
  const { board, action, moved } = props;
  const letter = /=([A-Z])/.exec(action.notation)?.[1];
  const ofLetter = letter === undefined ? 0 : board.pieces.findIndex((piece) => piece.owner === props.player && piece.letter.toUpperCase() === letter) + 1;
  const code = isShogi(board) ? (action.text.endsWith("+") ? promotedCode(board, moved) : moved) : ofLetter;
  if (code === 0) return null;
  return (
    <svg class={`stone-icon look-${styleOf(props.board)}`} viewBox="0 0 100 100" aria-hidden="true">
      <PieceAt board={props.board} x={50} y={50} code={code} />
    </svg>
  );
}

/** Pieces that a player holds; one that can be put on the board is taken up by a press. */
function Hand(props: BoardProps & { player: Player; taken: number | null; onTake: (piece: number) => void }): JSX.Element | null {
  const { board, state, player } = props;
  const held = state.hands[player];
  if (!held.length) return null;
  return (
    <div class="hand" role="group" aria-label={t("Pieces that {player} holds", { player: t(board.players[player]) })}>
      {held.map(({ piece, count }) => {
        const canDrop = props.onPlay !== undefined && player === state.to_move && state.legal.some((one) => one.piece === piece);
        return (
          <button
            type="button"
            class="quiet"
            disabled={!canDrop}
            aria-pressed={canDrop && props.taken === piece}
            aria-label={`${t(pieceOf(board, piece)?.name ?? "piece")}, ${count}`}
            onClick={() => props.onTake(piece)}
          >
            <svg class={`stone-icon look-${styleOf(board)}`} viewBox="0 0 100 100" aria-hidden="true">
              <PieceAt board={board} x={50} y={50} code={piece} />
            </svg>
            {count}
          </button>
        );
      })}
    </div>
  );
}

/** Legal actions by the cell that a press begins with, and by the cell that completes them, given what was taken up. */
function pressable(board: BoardShape, state: State, taken: Taken | null): { starts: Map<number, Action[]>; ends: Map<number, Action[]> } {
  const [starts, ends] = [new Map<number, Action[]>(), new Map<number, Action[]>()];
  const add = (map: Map<number, Action[]>, cell: number, action: Action): void => void map.set(cell, [...(map.get(cell) ?? []), action]);
  for (const action of state.legal) {
    const { source, target, piece } = action;
    if (source !== null && target !== null) add(starts, source, action);
    if (taken !== null) {
      if (target !== null && source === taken.source && piece === taken.piece) add(ends, target, action);
    } else if (piece === null && (source === null || target === null)) {
      const cell = target ?? source;
      if (board.layout === "columns") {
        for (let row = 0; row < board.height; row++) add(ends, row * board.width + action.action, action);
      } else if (cell !== null) add(ends, cell, action);
    }
  }
  return { starts, ends };
}

/** A piece that is dragged: from which cell, and where it is now, in units of the drawing. */
function useDrag(
  svg: { current: SVGSVGElement | null },
  canDrag: (cell: number) => boolean,
  on: { onStart: (cell: number) => void; onDrop: (from: number, cell: number | null) => void },
) {
  const [drag, setDrag] = useState<{ from: number; at: [number, number] } | null>(null);
  const down = useRef<{ cell: number; x: number; y: number } | null>(null);
  const cellUnder = (event: PointerEvent): number | null => {
    const found = document.elementFromPoint(event.clientX, event.clientY)?.closest<SVGElement>("[data-cell]");
    return found && svg.current?.contains(found) ? Number(found.dataset["cell"]) : null;
  };
  const place = (event: PointerEvent): [number, number] => {
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.current?.getScreenCTM()?.inverse());
    return [point.x, point.y];
  };
  const handlers = {
    onPointerDown: (event: PointerEvent) => {
      const cell = cellUnder(event);
      down.current = cell !== null && event.button === 0 && canDrag(cell) ? { cell, x: event.clientX, y: event.clientY } : null;
    },
    onPointerMove: (event: PointerEvent) => {
      const from = down.current;
      if (from === null) return;
      if (drag === null) {
        if (Math.hypot(event.clientX - from.x, event.clientY - from.y) < DRAG_FROM) return;
        svg.current?.setPointerCapture(event.pointerId);
        on.onStart(from.cell);
      }
      setDrag({ from: from.cell, at: place(event) });
    },
    onPointerUp: (event: PointerEvent) => {
      down.current = null;
      if (drag === null) return;
      setDrag(null);
      const cell = cellUnder(event);
      on.onDrop(drag.from, cell === drag.from ? null : cell);
    },
    onPointerCancel: () => {
      down.current = null;
      setDrag(null);
    },
  };
  return { from: drag?.from ?? null, at: drag?.at ?? null, handlers };
}

function describe(props: BoardProps & { cells: number[] }, cell: number, playable: boolean): string {
  const { board, state } = props;
  const column = board.columns[cell % board.width] ?? "";
  const place = board.layout === "columns" ? t("column {column}, row {row}", { column, row: board.height - Math.floor(cell / board.width) }) : cellName(board, cell);
  const words = [place, pieceWords(board, props.cells[cell] ?? 0)];
  if (state.last?.target === cell) words.push(t("last move"));
  if (playable) words.push(t("can be played"));
  if (props.hint && (props.hint.target ?? props.hint.source) === cell) words.push(t("hint"));
  const label = props.labels?.find((one) => one.target === cell);
  if (label) words.push(t("wins {share} percent, {count} visits", { share: label.main, count: label.detail }));
  const heat = props.heat?.reduce((sum, one) => (one.target === cell ? sum + one.value : sum), 0) ?? 0;
  if (heat >= HEAT_NUMBER_FROM) words.push(t("prior {share} percent", { share: Math.round(100 * heat) }));
  return words.join(", ");
}
