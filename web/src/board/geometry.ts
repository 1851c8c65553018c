// Where the cells of a board are, in units of the drawing. Boards are squares in a grid, or hexagons whose rows lie half a
// cell further right each, as Hex is drawn.

import type { BoardShape } from "../protocol";
import { rankName } from "./shogi";

export const CELL = 100;
const NAME_SIZE = 2.6; // of the letters beside the board, per cell, so that they look alike on all boards
const HALF = CELL / 2;
const POINT = CELL / Math.sqrt(3); // from the centre of a hexagon to its corners
const ROW = 1.5 * POINT; // from row to row of hexagons

/** Of the board around its cells. */
export function rim(board: BoardShape): number {
  return board.shape === "hex" ? 24 : 10;
}

export function centre(board: BoardShape, cell: number): [number, number] {
  const seen = board.flipped ? board.width * board.height - 1 - cell : cell;
  const [row, column] = [Math.floor(seen / board.width), seen % board.width];
  if (board.shape === "hex") return [(column + 0.5 + row / 2) * CELL, POINT + row * ROW];
  return [(column + 0.5) * CELL, (row + 0.5) * CELL];
}

/** Width and height of all cells together. */
export function extent(board: BoardShape): [number, number] {
  const { width, height } = board;
  if (board.shape === "hex") return [(width + (height - 1) / 2) * CELL, 2 * POINT + (height - 1) * ROW];
  return [width * CELL, height * CELL];
}

/** The outline of a cell as a path, a little smaller if asked. */
export function outline(board: BoardShape, cell: number, inset = 0): string {
  const [x, y] = centre(board, cell);
  if (board.shape === "hex") {
    const [half, point] = [HALF - inset, POINT - inset * 1.15];
    return `M${x} ${y - point}l${half} ${point / 2}v${point}l${-half} ${point / 2}l${-half} ${-point / 2}v${-point}z`;
  }
  const half = HALF - inset;
  return `M${x - half} ${y - half}h${2 * half}v${2 * half}h${-2 * half}z`;
}

/** The four sides of a board of hexagons as paths: top, bottom, left, right. */
export function hexSides(board: BoardShape): [string, string, string, string] {
  const { width, height } = board;
  const rows = Array.from({ length: height }, (_, row) => row);
  const columns = Array.from({ length: width }, (_, column) => column);
  const corner = (cell: number, dx: number, dy: number): string => {
    const [x, y] = centre(board, cell);
    return `${x + dx * HALF} ${y + dy * POINT}`;
  };
  const along = (points: string[]): string => `M${points.join("L")}`;
  const last = (height - 1) * width;
  return [
    along(columns.flatMap((cell) => [corner(cell, -1, -0.5), corner(cell, 0, -1), corner(cell, 1, -0.5)])),
    along(columns.flatMap((cell) => [corner(last + cell, -1, 0.5), corner(last + cell, 0, 1), corner(last + cell, 1, 0.5)])),
    along(rows.flatMap((row) => [corner(row * width, -1, -0.5), corner(row * width, -1, 0.5)])),
    along(rows.flatMap((row) => [corner(row * width + width - 1, 1, -0.5), corner(row * width + width - 1, 1, 0.5)])),
  ];
}

export function nameSize(board: BoardShape): number {
  const [width, height] = extent(board);
  return NAME_SIZE * Math.max(width / CELL, height / CELL, 4.5);
}

/** Around the board there is room for names: below columns; left and below squares; left and above hexagons. */
export function viewBox(board: BoardShape): string {
  const [room, edge] = [1.8 * nameSize(board), rim(board)];
  const side = board.layout === "columns" ? 0 : room;
  const [width, height] = extent(board);
  const top = board.shape === "hex" ? room : 0;
  return `${-edge - side} ${-edge - top} ${width + 2 * edge + (board.shape === "hex" ? side : 2 * side)} ${height + 2 * edge + room}`;
}

/** Width by height of the board as it is drawn. */
export function aspect(board: BoardShape): number {
  if (!board.pieces.length) return 1;
  const [, , width, height] = viewBox(board).split(" ").map(Number) as [number, number, number, number];
  return width / height;
}

/** Whether a board can be seen from the other side: pieces that fall and sides of hexagons have their places. */
export function canFlip(board: BoardShape): boolean {
  return board.shape === "square" && board.layout !== "columns" && board.pieces.length > 0;
}

/** Where a press of a key leads from a cell. */
export function moveCursor(key: string, cell: number, board: BoardShape): number | null {
  const { height, width } = board;
  if (board.flipped) {
    const last = width * height - 1;
    const seen = moveCursor(key, last - cell, { ...board, flipped: false });
    return seen === null ? null : last - seen;
  }
  const [row, column] = [Math.floor(cell / width), cell % width];
  if (key === "ArrowUp") return Math.max(0, row - 1) * width + column;
  if (key === "ArrowDown") return Math.min(height - 1, row + 1) * width + column;
  if (key === "ArrowLeft") return row * width + Math.max(0, column - 1);
  if (key === "ArrowRight") return row * width + Math.min(width - 1, column + 1);
  return null;
}

export function cellName(board: BoardShape, cell: number): string {
  return `${board.columns[cell % board.width] ?? ""}${rankName(board, board.rows[Math.floor(cell / board.width)] ?? "")}`;
}
