// The pieces of shogi, drawn by us: five-sided, pointing at the opponent, with their characters as strokes, so that no
// font is needed. Promoted pieces are red. Outlines and strokes are in a square of 100.

import type { JSX } from "preact";
import { language } from "../language";
import type { BoardShape, Piece } from "../protocol";

const BODY = "M50 7L80 18L90 93H10L20 18Z";

const STROKES: Record<string, string> = {
  king: "M18 16H82M24 49H76M12 84H88M50 16V84",
  jade: "M18 16H82M24 49H76M12 84H88M50 16V84M64 62L76 73",
  gold: "M50 6L8 40M50 6L92 40M30 42H70M22 60H78M50 42V90M31 68L37 82M69 68L63 82M10 91H90",
  silver:
    "M22 6L2 34M22 6L42 30M11 38H33M6 55H38M22 38V86M9 63L13 76M36 62L31 76M2 89L42 83M54 10H88V48M54 10V88L72 78M54 29H88M54 48H88M92 56L75 67M65 48Q74 76 98 90",
  knight: "M2 30H40M21 6V94M20 32L2 68M23 38L40 54M71 6V46M52 25H91M46 46H96M71 52V92M52 71H91M44 92H98",
  lance: "M74 6Q54 14 26 15M8 29H92M50 13V56M48 31L8 57M52 31L92 57M29 61H71V96H29ZM29 78H71",
  pawn: "M50 4V43M50 22H80M25 18V43M7 44H93M50 50V78Q50 87 39 83M30 56L13 75M70 54L88 70M84 68Q62 92 20 97",
  bishop: "M40 3L15 30M36 14H66L55 30M24 31H80V88Q80 96 67 92M24 31V64Q22 85 7 96M24 50H80M24 69H80M52 31V94",
  rook: "M8 12H58Q60 38 84 44L91 33M80 9L68 20M70 24L84 33M38 22L12 37M26 31V66Q24 86 8 96M46 24V97M8 56H58Q62 82 86 89L93 76M82 54L70 64M72 68L86 77",
  "promoted pawn": "M33 8Q35 27 44 42M82 25Q30 48 26 69Q24 92 56 92Q74 92 85 88",
  "promoted lance": "M8 26H92M50 6V60M48 28L8 60M52 28L92 60M28 66H72V95H28Z",
  "promoted knight": "M50 6V46M22 25H78M12 46H88M50 52V92M22 71H78M8 92H92",
  "promoted silver": "M50 6L8 42M50 6L92 42M27 47H73M29 68H71M50 47V90M12 91H88",
  horse: "M27 8V62M27 8H82M54 8V62M27 26H78M27 44H78M27 62H87Q87 88 79 94Q75 97 67 92M12 72L6 90M29 72L33 88M47 70L53 84M65 68L73 80",
  dragon: "M50 2V14M18 16H82M35 22L40 34M65 22L60 34M8 38H92M24 47H76V75H24ZM24 61H76M50 47V86Q50 96 64 96H87L92 84",
};
const PROMOTED: Record<string, string> = { pawn: "promoted pawn", lance: "promoted lance", knight: "promoted knight", silver: "promoted silver", bishop: "horse", rook: "dragon" };

/** Whether the pieces are those of shogi, all of them. */
export function isShogi(board: BoardShape): boolean {
  return board.pieces.some(({ name }) => name === "gold") && board.pieces.every(({ name }) => name in STROKES);
}

/** The number of the piece that one becomes by promotion; 0: none. */
export function promotedCode(board: BoardShape, code: number): number {
  const piece = board.pieces[code - 1];
  return board.pieces.findIndex(({ name, owner }) => name === PROMOTED[piece?.name ?? ""] && owner === piece?.owner) + 1;
}

/** A piece with its middle at x and y. Of the two kings the second player's has the character without a dot, as is the custom. */
export function ShogiPiece(props: { board: BoardShape; piece: Piece; x: number; y: number }): JSX.Element {
  const { piece, x, y } = props;
  const isTurned = (piece.owner === 1) !== (props.board.flipped ?? false);
  const isPromoted = Object.values(PROMOTED).includes(piece.name);
  const size = SIZES[piece.name.replace("promoted ", "")] ?? 1;
  const strokes = piece.name === "king" && piece.owner === 0 ? STROKES["jade"] : STROKES[piece.name];
  return (
    <g class={`shogi-piece ${isPromoted ? "is-promoted" : ""}`} data-figure={piece.name} transform={`translate(${x} ${y})${isTurned ? " rotate(180)" : ""} scale(${size}) translate(-50 -52)`}>
      <path class="shogi-body" d={BODY} />
      <path class="shogi-strokes" d={strokes} transform="translate(25 25) scale(0.5 0.6)" />
    </g>
  );
}

const SIZES: Record<string, number> = { pawn: 0.84, lance: 0.88, knight: 0.9, silver: 0.95, gold: 0.95 };

/** The rank of a square as the reader writes it: a to i, or in Chinese characters. */
export function rankName(board: BoardShape, name: string): string {
  return isShogi(board) && language().startsWith("zh") ? ("一二三四五六七八九"["abcdefghi".indexOf(name)] ?? name) : name;
}
