// What is drawn on a board besides its pieces, from the bottom up: the ground and its names, then marks over the pieces.

import type { JSX } from "preact";
import type { BoardShape, Player, State, Step } from "../protocol";
import { centre, extent, hexSides, nameSize, outline, rim } from "./geometry";
import { PieceAt, isLettered, pieceOf, pieceOfPlayer, playersClass, playersStyle, styleOf, tone } from "./pieces";
import { isShogi, rankName } from "./shogi";

export interface MoveLabel extends Step {
  target: number;
  main: string; // "62"
  detail: string; // "1.2k"
  weight: number; // 0 to 1: how much of the search went there
  best: boolean;
}

export interface Heat extends Step {
  target: number;
  value: number; // 0 to 1
}

export interface NumberedMove extends Step {
  player: Player;
  number: number;
}

export const HEAT_NUMBER_FROM = 0.01; // below, the number would be noise

export function Ground({ board }: { board: BoardShape }): JSX.Element {
  const [w, h] = extent(board);
  const edge = rim(board);
  const cells = Array.from({ length: board.width * board.height }, (_, cell) => cell);
  if (board.shape === "hex") return <HexGround board={board} cells={cells} />;
  if (board.points) {
    const lines = [
      ...Array.from({ length: board.height }, (_, row) => `M50 ${row * 100 + 50}H${w - 50}`),
      ...Array.from({ length: board.width }, (_, column) => `M${column * 100 + 50} 50V${h - 50}`),
    ];
    return (
      <g class="ground">
        <rect class="wood" x={-edge} y={-edge} width={w + 2 * edge} height={h + 2 * edge} rx={14} />
        <path class="lines" d={lines.join("")} />
        {board.stars.map(([row, column]) => (
          <circle class="star" cx={(column + 0.5) * 100} cy={(row + 0.5) * 100} r={9} />
        ))}
      </g>
    );
  }
  if (board.layout === "columns") {
    return (
      <g class="ground">
        <rect class="rack" x={-edge} y={-edge} width={w + 2 * edge} height={h + 2 * edge} rx={26} />
        {cells.map((cell) => {
          const [x, y] = centre(board, cell);
          return <circle class="hole" cx={x} cy={y} r={41} />;
        })}
      </g>
    );
  }
  if (isShogi(board)) {
    const lines = [
      ...Array.from({ length: board.height + 1 }, (_, row) => `M0 ${row * 100}H${w}`),
      ...Array.from({ length: board.width + 1 }, (_, column) => `M${column * 100} 0V${h}`),
    ];
    const stars = board.width === 9 ? [3, 6].flatMap((row) => [3, 6].map((column) => [row, column] as const)) : [];
    return (
      <g class="ground">
        <rect class="wood" x={-edge} y={-edge} width={w + 2 * edge} height={h + 2 * edge} rx={8} />
        <path class="lines" d={lines.join("")} />
        {stars.map(([row, column]) => (
          <circle class="star" cx={column * 100} cy={row * 100} r={8} />
        ))}
      </g>
    );
  }
  const isChequered = board.layout === "planes";
  return (
    <g class={`ground ${isChequered ? "chequered" : styleOf(board) === "stones" ? "felt" : ""}`}>
      <rect class="tray" x={-edge} y={-edge} width={w + 2 * edge} height={h + 2 * edge} rx={16} />
      {cells.map((cell) => {
        const [x, y] = centre(board, cell);
        const isDark = isChequered && (Math.floor(cell / board.width) + (cell % board.width)) % 2 === 1;
        const half = isChequered ? 50 : 47.5;
        return <rect class={`square ${isDark ? "dark" : ""}`} x={x - half} y={y - half} width={2 * half} height={2 * half} rx={isChequered ? 0 : 7} />;
      })}
    </g>
  );
}

/** Where each player has one kind of piece, top and bottom are the first player's sides, left and right the second's. */
function HexGround({ board, cells }: { board: BoardShape; cells: number[] }): JSX.Element {
  const [top, bottom, left, right] = hexSides(board);
  const owned = board.layout === "cells" && board.pieces.length === 2 && board.pieces.every(({ owner }, i) => owner === i);
  const [first, second] = owned ? ["side-0", "side-1"] : ["side-none", "side-none"];
  return (
    <g class={`ground hexagons ${playersClass(board)}`} style={playersStyle(board)}>
      <path class={`side ${second}`} d={left + right} />
      <path class={`side ${first}`} d={top + bottom} />
      {cells.map((cell) => (
        <path class="square" d={outline(board, cell)} />
      ))}
    </g>
  );
}

export function Names({ board }: { board: BoardShape }): JSX.Element {
  const [size, edge] = [nameSize(board), rim(board)];
  const [, h] = extent(board);
  const hex = board.shape === "hex";
  return (
    <g class="names" aria-hidden="true" style={{ "--name-size": `${size}px` }}>
      {board.columns.map((name, column) => (
        <text x={centre(board, column)[0]} y={hex ? -edge - 0.5 * size : h + edge + 1.4 * size}>
          {name}
        </text>
      ))}
      {board.layout !== "columns" &&
        board.rows.map((name, row) => {
          const [x, y] = centre(board, row * board.width + (board.flipped ? board.width - 1 : 0));
          return (
            <text x={x - 50 - edge - size} y={y + 0.35 * size}>
              {rankName(board, name)}
            </text>
          );
        })}
    </g>
  );
}

/** Whether the last move is shown below the pieces: it has two cells, or a dot would hide a letter. */
export function isLastBelow(board: BoardShape, state: State): boolean {
  return state.last?.source != null || isLettered(board);
}

/** Where the last piece came to stand; of a piece that moved, also where it came from. */
export function LastMove({ board, state }: { board: BoardShape; state: State }): JSX.Element | null {
  const { source, target } = state.last ?? { source: null, target: null };
  if (isLastBelow(board, state)) {
    const cells = [source, target].filter((cell) => cell !== null);
    return (
      <g>
        {cells.map((cell) => (
          <path class="last-cell" d={outline(board, cell, board.shape === "hex" ? 4 : 0)} />
        ))}
      </g>
    );
  }
  if (target === null) return null;
  const [x, y] = centre(board, target);
  const owner = pieceOf(board, state.cells?.[target] ?? 0)?.owner ?? null;
  if (styleOf(board) === "marks") return <rect class="last-square" x={x - 44} y={y - 44} width={88} height={88} rx={6} />;
  return <circle class={`last last-on-${owner === null ? "none" : tone(board, owner)}`} cx={x} cy={y} r={12} />;
}

/** The king of the player to move, where the notation of the last move says that it is in check. */
export function InCheck({ board, state }: { board: BoardShape; state: State }): JSX.Element | null {
  if (isShogi(board) || !/[+#]$/.test(state.last?.notation ?? "")) return null; // in shogi + is a promotion
  const king = state.cells?.findIndex((code) => {
    const piece = pieceOf(board, code);
    return piece?.name === "king" && piece.owner === state.to_move;
  });
  if (king === undefined || king < 0) return null;
  return <path class="in-check" data-check={king} d={outline(board, king)} />;
}

/** Where the rules leave few choices, they are shown; `cells` are those that can be pressed. */
export function LegalDots(props: { board: BoardShape; state: State; cells: number[]; isTarget: boolean }): JSX.Element | null {
  const { board, state, cells } = props;
  const empty = state.cells?.filter((code) => code === 0).length ?? 0;
  if (!props.isTarget && (board.layout === "columns" || cells.length * 2 > empty)) return null;
  return (
    <g class="legal">
      {cells.map((cell) => {
        const [x, y] = centre(board, cell);
        const taken = (state.cells?.[cell] ?? 0) !== 0;
        return taken ? <circle class="capture" cx={x} cy={y} r={board.shape === "hex" ? 42 : 45} /> : <circle cx={x} cy={y} r={props.isTarget ? 15 : 10} />;
      })}
    </g>
  );
}

/** The pieces in a row that won, through the last one. */
export function WinningLine({ board, state }: { board: BoardShape; state: State }): JSX.Element | null {
  const cells = winningCells(board, state);
  const [first, last] = [cells[0], cells.at(-1)];
  if (first === undefined || last === undefined) return null;
  const [[x1, y1], [x2, y2]] = [centre(board, first), centre(board, last)];
  return (
    <g class="winning" data-winning={cells.join(" ")}>
      <path d={`M${x1} ${y1}L${x2} ${y2}`} />
      <path d={`M${x1} ${y1}L${x2} ${y2}`} />
    </g>
  );
}

/** The longest row of one player's pieces through the cell of the last move. */
function winningCells(board: BoardShape, { cells, last }: State): number[] {
  if (cells === null || last?.target == null) return [];
  const owner = pieceOf(board, cells[last.target] ?? 0)?.owner;
  const [row, column] = [Math.floor(last.target / board.width), last.target % board.width];
  const run = (down: number, right: number): number[] => {
    const found: number[] = [];
    for (let r = row + down, c = column + right; r >= 0 && r < board.height && c >= 0 && c < board.width; r += down, c += right) {
      if (pieceOf(board, cells[r * board.width + c] ?? 0)?.owner !== owner) break;
      found.push(r * board.width + c);
    }
    return found;
  };
  const rows = [[0, 1], [1, 0], [1, 1], [1, -1]].map(([down = 0, right = 0]) => [
    ...run(-down, -right).reverse(),
    last.target as number,
    ...run(down, right),
  ]);
  return rows.sort((a, b) => b.length - a.length)[0] ?? [];
}

/** What stands behind a number: square, so that it is not taken for a stone. Teal is the search, violet the network. */
function Chip(props: { x: number; y: number; colour: "search" | "network"; strength: number }): JSX.Element {
  const fill = `color-mix(in srgb, var(--${props.colour}-chip) ${Math.round(100 * props.strength)}%, var(--chip))`;
  return <rect class="chip" x={props.x - 41} y={props.y - 41} width={82} height={82} rx={16} style={{ fill }} />;
}

/** Where pieces move, what stands on a cell stays in sight: a number over it is small, in a corner. */
function aside(board: BoardShape, x: number, y: number): string | undefined {
  return board.layout === "planes" ? `translate(${x + 26} ${y - 28}) scale(0.5) translate(${-x} ${-y})` : undefined;
}

export function HeatLayer({ board, heat }: { board: BoardShape; heat: Heat[] }): JSX.Element {
  const at = new Map<number, number>();
  for (const { target, value } of heat) at.set(target, (at.get(target) ?? 0) + value);
  const most = Math.max(...at.values(), 1e-9);
  return (
    <g class="heat">
      {heat.map((one) => one.value >= 0.03 && <Arrow board={board} step={one} kind="network" weight={one.value} />)}
      {[...at].map(([cell, value]) => {
        const [x, y] = centre(board, cell);
        const strength = Math.sqrt(value / most);
        return (
          <g
            data-heat={cell}
            data-value={value}
            transform={aside(board, x, y)}
          >
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

export function Ownership({ board, ownership }: { board: BoardShape; ownership: number[] }): JSX.Element {
  return (
    <g class="ownership">
      {ownership.map((value, cell) => {
        const [x, y] = centre(board, cell);
        const side = 58 * Math.min(1, Math.abs(value));
        if (side < 6) return null;
        return <rect class={`owner-${tone(board, value > 0 ? 0 : 1)}`} x={x - side / 2} y={y - side / 2} width={side} height={side} rx={4} />;
      })}
    </g>
  );
}

/** Numbers on the cells that moves lead to; several moves to one cell share the number of the best of them. */
export function Labels({ board, labels }: { board: BoardShape; labels: MoveLabel[] }): JSX.Element {
  const first = labels.filter((label, index) => labels.findIndex(({ target }) => target === label.target) === index);
  return (
    <g>
      {labels.map((label) => (
        <Arrow board={board} step={label} kind={label.best ? "best" : "search"} weight={label.weight} />
      ))}
      {first.map((label) => {
        const [x, y] = centre(board, label.target);
        return (
          <g class={`label ${label.best ? "label-best" : ""}`} data-label={label.target} transform={aside(board, x, y)}>
            <Chip x={x} y={y} colour="search" strength={label.best ? 1 : 0.08 + 0.34 * Math.sqrt(label.weight)} />
            <text class="label-main" x={x} y={y + 5}>
              {label.main}
            </text>
            <text class="label-detail" x={x} y={y + 28}>
              {label.detail}
            </text>
          </g>
        );
      })}
    </g>
  );
}

/** A verdict at the upper right of a cell. */
export function Badge(props: { board: BoardShape; cell: number; text: string; kind: string }): JSX.Element {
  const [x, y] = centre(props.board, props.cell);
  return (
    <g class={`badge grade-${props.kind}`} data-badge={props.cell}>
      <circle cx={x + 32} cy={y - 32} r={21} />
      <text x={x + 32} y={y - 23}>
        {props.text}
      </text>
    </g>
  );
}

/** The moves of a line: stones with their numbers, moves of pieces as arrows with theirs. */
export function LineLayer({ board, line }: { board: BoardShape; line: NumberedMove[] }): JSX.Element {
  return (
    <g>
      {line.map((move) => move.target !== null && move.source === null && <Numbered board={board} move={move} cell={move.target} />)}
      {line.map((move) => <Arrow board={board} step={move} kind={`player-${tone(board, move.player)}`} weight={0.5} number={move.number} />)}
    </g>
  );
}

function Numbered({ board, move, cell }: { board: BoardShape; move: NumberedMove; cell: number }): JSX.Element {
  const [x, y] = centre(board, cell);
  return (
    <g class="numbered" data-line={move.number}>
      <PieceAt board={board} x={x} y={y} code={move.piece ?? pieceOfPlayer(board, move.player)} text={String(move.number)} />
    </g>
  );
}

/** From cell to cell; nothing for an action that only has a target. */
export function Arrow(props: { board: BoardShape; step: Step; kind: string; weight: number; number?: number }): JSX.Element | null {
  const { source, target } = props.step;
  if (source === null || target === null || source === target) return null;
  const [[x1, y1], [x2, y2]] = [centre(props.board, source), centre(props.board, target)];
  const length = Math.hypot(x2 - x1, y2 - y1);
  const [dx, dy] = [(x2 - x1) / length, (y2 - y1) / length];
  const wide = 7 + 9 * Math.sqrt(props.weight);
  const at = (along: number, aside: number): string => `${x1 + along * dx - aside * dy} ${y1 + along * dy + aside * dx}`;
  const tip = length - (props.number === undefined ? 30 : 22); // what stands on the target stays readable
  const [tail, neck] = [props.number === undefined ? 8 : 24, tip - 2 * wide];
  const half = wide / 2;
  const shape = [at(tail, half), at(neck, half), at(neck, 1.8 * half + 6), at(tip, 0), at(neck, -1.8 * half - 6), at(neck, -half), at(tail, -half)];
  const [x, y] = [x1 + 24 * dx, y1 + 24 * dy];
  return (
    <g class={`arrow arrow-${props.kind}`} data-arrow={`${source}-${target}`} {...(props.number ? { "data-line": props.number } : {})}>
      <path d={`M${shape.join("L")}Z`} />
      {props.number !== undefined && <circle cx={x} cy={y} r={20} />}
      {props.number !== undefined && (
        <text x={x} y={y + 9}>
          {props.number}
        </text>
      )}
    </g>
  );
}

export function Ring({ board, cell, kind }: { board: BoardShape; cell: number; kind: "hint" | "source" }): JSX.Element {
  const [x, y] = centre(board, cell);
  return <circle class={`ring ring-${kind}`} data-ring={kind} cx={x} cy={y} r={board.shape === "hex" ? 40 : 44} />;
}

/** Where the keyboard is: two lines, a light and a dark one, so that it is seen on every ground. */
export function Focus({ board, cell }: { board: BoardShape; cell: number }): JSX.Element {
  return (
    <g class="focus-ring" data-focus={cell}>
      <path class="focus-dark" d={outline(board, cell, 4)} />
      <path class="focus-light" d={outline(board, cell, 10)} />
    </g>
  );
}
