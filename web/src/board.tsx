// The one board: draws any game from the description that the server sends, with stones, legal moves and layers over
// them. Mouse: a click plays; an action of several cells (from, to) is clicked cell by cell. Keyboard: arrows move a
// cursor, Enter plays. Players differ in lightness and shape, never in hue alone.

import { useEffect, useRef, useState } from "preact/hooks";
import type { JSX } from "preact";
import type { Action, BoardShape, Player, State } from "./protocol";

export interface MoveLabel {
  cell: number;
  main: string; // "62"
  detail: string; // "1.2k"
  weight: number; // 0 to 1: how much of the search went there
  best: boolean;
}

export interface NumberedStone {
  cell: number;
  player: Player;
  number: number;
}

export interface BoardProps {
  board: BoardShape;
  state: State;
  label?: string; // what a screen reader calls the board
  onPlay?: (action: Action) => void; // absent: only to look at
  onHover?: (cell: number | null) => void;
  heat?: Map<number, number> | undefined; // cell -> 0 to 1
  labels?: MoveLabel[] | undefined;
  ownership?: number[] | null | undefined; // +1 the first player's, -1 the second's
  line?: NumberedStone[] | undefined;
  hint?: number | null | undefined; // cell
}

const CELL = 100;
const RIM = 10; // of the board around its cells
const NAME_SIZE = 2.6; // of the letters beside the board, per cell, so that they look alike on all boards
const [WIDEST, WIDER] = [27, 3]; // rem: a board of three columns need not fill the window
const HEAT_NUMBER_FROM = 0.01; // below, the number would be noise

export function Board(props: BoardProps): JSX.Element {
  const { board, state, onPlay } = props;
  const { height, width } = board;
  const [hover, setHover] = useState<number | null>(null);
  const [cursor, setCursor] = useState(Math.floor(height / 2) * width + Math.floor(width / 2));
  const [source, setSource] = useState<number | null>(null);
  const [choices, setChoices] = useState<Action[]>([]);
  const grid = useRef<SVGSVGElement>(null);
  const positionKey = state.position.moves.join(" ");
  useEffect(() => {
    setSource(null);
    setChoices([]);
  }, [positionKey, board]);

  const pointAt = (cell: number | null): void => {
    setHover(cell);
    props.onHover?.(cell);
  };
  const press = (cell: number): void => {
    if (!onPlay) return;
    const found = actionsAt(board, state, source, cell);
    const [only] = found;
    if (only === undefined) return setSource(null);
    const complete = source !== null || board.kind === "columns" || found.every((one) => one.cells.length === 1);
    if (!complete) return setSource(cell);
    if (found.length === 1) return onPlay(only);
    setChoices(found);
  };
  const onKeyDown = (event: JSX.TargetedKeyboardEvent<SVGSVGElement>): void => {
    const next = moveCursor(event.key, cursor, height, width);
    if (next !== null) {
      setCursor(next);
      grid.current?.querySelector<SVGElement>(`[data-cell="${next}"]`)?.focus();
    } else if (event.key === "Enter" || event.key === " ") press(cursor);
    else if (event.key === "Escape") setSource(null);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  const aimed = hover !== null && onPlay ? actionsAt(board, state, source, hover)[0] : undefined;
  const numbered = new Set(props.line?.map((stone) => stone.cell));
  return (
    <div class="board-frame">
      <svg
        ref={grid}
        class={`board board-${board.kind} ${onPlay ? "playable" : ""}`}
        viewBox={viewBox(board)}
        style={{ maxWidth: `${WIDEST + WIDER * width}rem` }}
        role="grid"
        aria-label={props.label ?? "Board"}
        aria-rowcount={height}
        aria-colcount={width}
        onKeyDown={onKeyDown}
        onMouseLeave={() => pointAt(null)}
      >
        <Ground board={board} />
        <Names board={board} />
        {props.heat && <Heat board={board} heat={props.heat} />}
        {state.cells.map((player, cell) =>
          player === null || numbered.has(cell) ? null : <Stone board={board} cell={cell} player={player} />,
        )}
        {props.ownership && <Ownership board={board} ownership={props.ownership} />}
        {state.last && <LastMove board={board} state={state} last={state.last} />}
        {onPlay && <LegalDots board={board} state={state} source={source} />}
        {props.labels?.map((label) => <Label board={board} label={label} />)}
        {props.line?.map((stone) => <Numbered board={board} stone={stone} />)}
        {props.hint != null && <Ring board={board} cell={props.hint} kind="hint" />}
        {source !== null && <Ring board={board} cell={source} kind="source" />}
        {aimed && !props.line?.length && !props.labels?.length && (
          <g class="ghost">
            <Stone board={board} cell={target(board, state, aimed)} player={state.to_move} />
          </g>
        )}
        {Array.from({ length: height }, (_, row) => (
          <g role="row">
            {Array.from({ length: width }, (_, column) => {
              const cell = row * width + column;
              const playable = actionsAt(board, state, source, cell).length > 0;
              return (
                <rect
                  class="touch"
                  role="gridcell"
                  data-cell={cell}
                  data-legal={playable && onPlay ? actionsAt(board, state, source, cell)[0]?.text : undefined}
                  tabIndex={cell === cursor ? 0 : -1}
                  aria-label={describe(props, cell, playable)}
                  x={column * CELL}
                  y={row * CELL}
                  width={CELL}
                  height={CELL}
                  style={{ cursor: playable && onPlay ? "pointer" : "default" }}
                  onMouseEnter={() => pointAt(cell)}
                  onFocus={() => setCursor(cell)}
                  onClick={() => press(cell)}
                />
              );
            })}
          </g>
        ))}
      </svg>
      {choices.length > 0 && (
        <div class="choices" role="group" aria-label="Which move?">
          {choices.map((one) => (
            <button type="button" onClick={() => onPlay?.(one)}>
              {one.text}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}

type Style = "marks" | "discs" | "stones"; // X and O on squares are written; in columns, coloured discs; else stones

function styleOf(board: BoardShape): Style {
  if (board.kind === "columns") return "discs";
  return board.kind === "cells" && board.players.join("").toLowerCase() === "xo" ? "marks" : "stones";
}

/** A class that gives its element the players' colours, as --first and --other. */
export function playersClass(board: BoardShape): string {
  return `players-${styleOf(board)}`;
}

/** A stone by itself, beside a player's name. */
export function StoneIcon({ board, player }: { board: BoardShape; player: Player }): JSX.Element {
  return (
    <svg class={`stone-icon board-${board.kind}`} viewBox={`0 0 ${CELL} ${CELL}`} aria-hidden="true">
      <Stone board={{ ...board, width: 1, height: 1 }} cell={0} player={player} />
    </svg>
  );
}

/** The cell where an action shows: for a column, where the stone would come to rest. */
export function target(board: BoardShape, state: { cells: (Player | null)[] }, action: Action): number {
  const last = action.cells[action.cells.length - 1] ?? 0;
  if (board.kind !== "columns") return last;
  for (let row = board.height - 1; row >= 0; row--) {
    const cell = row * board.width + (last % board.width);
    if (state.cells[cell] === null) return cell;
  }
  return last;
}

/** Legal actions that a press on a cell can mean, given the cell pressed before, if any. */
function actionsAt(board: BoardShape, state: State, source: number | null, cell: number): Action[] {
  return state.legal.filter(({ cells }) => {
    const [first] = cells;
    if (first === undefined) return false;
    if (board.kind === "columns") return first % board.width === cell % board.width;
    return source === null ? first === cell : first === source && cells.length > 1 && cells[cells.length - 1] === cell;
  });
}

function moveCursor(key: string, cell: number, height: number, width: number): number | null {
  const [row, column] = [Math.floor(cell / width), cell % width];
  if (key === "ArrowUp") return Math.max(0, row - 1) * width + column;
  if (key === "ArrowDown") return Math.min(height - 1, row + 1) * width + column;
  if (key === "ArrowLeft") return row * width + Math.max(0, column - 1);
  if (key === "ArrowRight") return row * width + Math.min(width - 1, column + 1);
  return null;
}

export function cellName(board: BoardShape, cell: number): string {
  return `${board.columns[cell % board.width] ?? ""}${board.rows[Math.floor(cell / board.width)] ?? ""}`;
}

function describe(props: BoardProps, cell: number, playable: boolean): string {
  const { board, state } = props;
  const player = state.cells[cell] ?? null;
  const column = board.columns[cell % board.width] ?? "";
  const place = board.kind === "columns" ? `column ${column}, row ${board.height - Math.floor(cell / board.width)}` : cellName(board, cell);
  const words = [place, player === null ? "empty" : board.players[player]];
  if (state.last?.cells.length && target(board, state, state.last) === cell) words.push("last move");
  if (playable && props.onPlay) words.push("can be played");
  if (props.hint === cell) words.push("hint");
  const label = props.labels?.find((one) => one.cell === cell);
  if (label) words.push(`wins ${label.main} percent, ${label.detail} visits`);
  const heat = props.heat?.get(cell);
  if (heat !== undefined && heat >= HEAT_NUMBER_FROM) words.push(`prior ${Math.round(100 * heat)} percent`);
  return words.join(", ");
}

// What is drawn, from the bottom up.

interface At {
  board: BoardShape;
  cell: number;
}

function centre(board: BoardShape, cell: number): [number, number] {
  return [((cell % board.width) + 0.5) * CELL, (Math.floor(cell / board.width) + 0.5) * CELL];
}

function Ground({ board }: { board: BoardShape }): JSX.Element {
  const [w, h] = [board.width * CELL, board.height * CELL];
  const cells = Array.from({ length: board.width * board.height }, (_, cell) => cell);
  if (board.kind === "points") {
    const lines = [
      ...Array.from({ length: board.height }, (_, row) => `M50 ${row * CELL + 50}H${w - 50}`),
      ...Array.from({ length: board.width }, (_, column) => `M${column * CELL + 50} 50V${h - 50}`),
    ];
    return (
      <g class="ground">
        <rect class="wood" x={-RIM} y={-RIM} width={w + 2 * RIM} height={h + 2 * RIM} rx={14} />
        <path class="lines" d={lines.join("")} />
        {board.stars.map(([row, column]) => (
          <circle class="star" cx={(column + 0.5) * CELL} cy={(row + 0.5) * CELL} r={9} />
        ))}
      </g>
    );
  }
  if (board.kind === "columns") {
    return (
      <g class="ground">
        <rect class="rack" x={-RIM} y={-RIM} width={w + 2 * RIM} height={h + 2 * RIM} rx={26} />
        {cells.map((cell) => {
          const [x, y] = centre(board, cell);
          return <circle class="hole" cx={x} cy={y} r={41} />;
        })}
      </g>
    );
  }
  return (
    <g class={`ground ${styleOf(board) === "stones" ? "felt" : ""}`}>
      <rect class="tray" x={-RIM} y={-RIM} width={w + 2 * RIM} height={h + 2 * RIM} rx={16} />
      {cells.map((cell) => {
        const [x, y] = centre(board, cell);
        return <rect class="square" x={x - 47.5} y={y - 47.5} width={95} height={95} rx={7} />;
      })}
    </g>
  );
}

function nameSize(board: BoardShape): number {
  return NAME_SIZE * Math.max(board.width, board.height, 4.5);
}

/** Width by height of the board as it is drawn. */
export function aspect(board: BoardShape): number {
  const [, , width, height] = viewBox(board).split(" ").map(Number) as [number, number, number, number];
  return width / height;
}

/** Around the board there is room for names: in columns below, else below and at the left. */
function viewBox(board: BoardShape): string {
  const room = 1.8 * nameSize(board);
  const side = board.kind === "columns" ? 0 : room;
  const [w, h] = [board.width * CELL + 2 * RIM, board.height * CELL + 2 * RIM];
  return `${-RIM - side} ${-RIM} ${w + 2 * side} ${h + room}`;
}

function Names({ board }: { board: BoardShape }): JSX.Element {
  const size = nameSize(board);
  return (
    <g class="names" aria-hidden="true" style={{ "--name-size": `${size}px` }}>
      {board.columns.map((name, column) => (
        <text x={(column + 0.5) * CELL} y={board.height * CELL + RIM + 1.4 * size}>
          {name}
        </text>
      ))}
      {board.kind !== "columns" &&
        board.rows.map((name, row) => (
          <text x={-RIM - size} y={(row + 0.5) * CELL + 0.35 * size}>
            {name}
          </text>
        ))}
    </g>
  );
}

/** The second player's stone has a ring on it. */
function Stone({ board, cell, player }: At & { player: Player }): JSX.Element {
  const [x, y] = centre(board, cell);
  const written = styleOf(board) === "marks";
  if (written && player === 0) {
    return <path class="mark mark-0" d={`M${x - 26} ${y - 26}L${x + 26} ${y + 26}M${x + 26} ${y - 26}L${x - 26} ${y + 26}`} />;
  }
  if (written) return <circle class="mark mark-1" cx={x} cy={y} r={29} />;
  const radius = board.kind === "points" ? 46 : 41;
  return (
    <g class={`stone stone-${player}`}>
      <circle class="stone-body" cx={x} cy={y} r={radius} />
      {player === 1 && <circle class="stone-ring" cx={x} cy={y} r={radius * 0.68} />}
    </g>
  );
}

function LastMove({ board, state, last }: { board: BoardShape; state: State; last: Action }): JSX.Element | null {
  if (!last.cells.length) return null;
  const resting = last.cells.find((cell) => state.cells[cell] !== null && state.cells[cell] !== undefined);
  const cell = board.kind === "columns" ? topStone(board, state, last.cells[0] ?? 0) : (last.cells.at(-1) ?? resting ?? 0);
  const [x, y] = centre(board, cell);
  const player = state.cells[cell];
  if (styleOf(board) === "marks") return <rect class="last-square" x={x - 44} y={y - 44} width={88} height={88} rx={6} />;
  return <circle class={`last last-on-${player ?? "none"}`} cx={x} cy={y} r={12} />;
}

function topStone(board: BoardShape, state: State, inColumn: number): number {
  const column = inColumn % board.width;
  for (let row = 0; row < board.height; row++) {
    const cell = row * board.width + column;
    if (state.cells[cell] !== null) return cell;
  }
  return inColumn;
}

/** Where the rules leave few choices, they are shown. */
function LegalDots({ board, state, source }: { board: BoardShape; state: State; source: number | null }): JSX.Element | null {
  const cells = new Set(
    state.legal
      .filter(({ cells }) => cells.length && (source === null || cells[0] === source))
      .map(({ cells }) => (source === null ? cells[0] : cells.at(-1)) as number),
  );
  const empty = state.cells.filter((player) => player === null).length;
  const obvious = source === null && cells.size * 2 > empty;
  if (board.kind === "columns" || obvious) return null;
  return (
    <g class="legal">
      {[...cells].map((cell) => {
        const [x, y] = centre(board, cell);
        return <circle cx={x} cy={y} r={10} />;
      })}
    </g>
  );
}

/** What stands behind a number: square, so that it is not taken for a stone. Teal is the search, violet the network. */
function Chip(props: { x: number; y: number; colour: "search" | "network"; strength: number }): JSX.Element {
  const fill = `color-mix(in srgb, var(--${props.colour}-chip) ${Math.round(100 * props.strength)}%, var(--chip))`;
  return <rect class="chip" x={props.x - 41} y={props.y - 41} width={82} height={82} rx={16} style={{ fill }} />;
}

function Heat({ board, heat }: { board: BoardShape; heat: Map<number, number> }): JSX.Element {
  const most = Math.max(...heat.values(), 1e-9);
  return (
    <g class="heat">
      {[...heat].map(([cell, value]) => {
        const [x, y] = centre(board, cell);
        const strength = Math.sqrt(value / most);
        return (
          <g data-heat={cell} data-value={value}>
            <Chip x={x} y={y} colour="network" strength={strength} />
            {value >= HEAT_NUMBER_FROM && (
              <text class={strength > 0.55 ? "on-strong" : ""} x={x} y={y + 11}>
                {Math.round(100 * value)}
              </text>
            )}
          </g>
        );
      })}
    </g>
  );
}

function Ownership({ board, ownership }: { board: BoardShape; ownership: number[] }): JSX.Element {
  return (
    <g class="ownership">
      {ownership.map((value, cell) => {
        const [x, y] = centre(board, cell);
        const side = 58 * Math.min(1, Math.abs(value));
        if (side < 6) return null;
        return <rect class={`owner-${value > 0 ? 0 : 1}`} x={x - side / 2} y={y - side / 2} width={side} height={side} rx={4} />;
      })}
    </g>
  );
}

function Label({ board, label }: { board: BoardShape; label: MoveLabel }): JSX.Element {
  const [x, y] = centre(board, label.cell);
  return (
    <g class={`label ${label.best ? "label-best" : ""}`} data-label={label.cell}>
      <Chip x={x} y={y} colour="search" strength={label.best ? 1 : 0.08 + 0.34 * Math.sqrt(label.weight)} />
      <text class="label-main" x={x} y={y + 5}>
        {label.main}
      </text>
      <text class="label-detail" x={x} y={y + 28}>
        {label.detail}
      </text>
    </g>
  );
}

function Numbered({ board, stone }: { board: BoardShape; stone: NumberedStone }): JSX.Element {
  const [x, y] = centre(board, stone.cell);
  const radius = board.kind === "points" ? 46 : 41;
  return (
    <g class={`numbered stone stone-${stone.player}`} data-line={stone.number}>
      <circle class="stone-body" cx={x} cy={y} r={radius} />
      <text x={x} y={y + 13}>
        {stone.number}
      </text>
    </g>
  );
}

function Ring({ board, cell, kind }: At & { kind: "hint" | "source" }): JSX.Element {
  const [x, y] = centre(board, cell);
  return <circle class={`ring ring-${kind}`} data-ring={kind} cx={x} cy={y} r={44} />;
}
