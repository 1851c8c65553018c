// What stands on a board. Players differ in lightness and shape, never in hue alone; kinds of pieces by their letters.

import type { JSX } from "preact";
import { t } from "../language";
import type { BoardShape, Piece, Player } from "../protocol";
import { Figure, isFigure } from "./figures";
import { CELL } from "./geometry";
import { ShogiPiece, isShogi } from "./shogi";

type Style = "marks" | "discs" | "stones"; // X and O on squares are written; in columns and on hexagons, coloured discs

export function styleOf(board: BoardShape): Style {
  if (board.layout === "columns" || board.shape === "hex") return "discs";
  const written = board.layout === "cells" && !board.points && board.players.join("").toLowerCase() === "xo";
  return written && !isLettered(board) && board.pieces.every((piece) => !piece.colour) ? "marks" : "stones";
}

/** Whether pieces are told apart by letters: a player has several kinds of them, or some are nobody's. */
export function isLettered(board: BoardShape): boolean {
  const count = (owner: Player | null): number => board.pieces.filter((piece) => piece.owner === owner).length;
  return count(0) > 1 || count(1) > 1 || count(null) > 0;
}

/** Whether the pieces are those of chess, all of them. */
function hasFigures(board: BoardShape): boolean {
  return isLettered(board) && board.pieces.every((piece) => isFigure(piece.name));
}

/** Which of the two kinds of stones a player has, dark (0) or light (1): the first player the dark ones, unless called white. */
export function tone(board: BoardShape, owner: Player): Player {
  const [first, second] = board.players.map((name) => name.toLowerCase());
  return styleOf(board) === "stones" && (first === "white" || second === "black") ? ((1 - owner) as Player) : owner;
}

/** A class that gives its element the players' colours, as --first and --other. */
export function playersClass(board: BoardShape): string {
  return `players-${styleOf(board)}`;
}

/** The players' colours where they are not those of the class. */
export function playersStyle(board: BoardShape): Record<string, string> {
  const style: Record<string, string> =
    tone(board, 0) === 0 ? {} : { "--first": "var(--light-stone)", "--other": "var(--dark-stone)" };
  for (const [owner, name] of [[0, "--first"], [1, "--other"]] as const) {
    const colour = board.pieces.find((piece) => piece.owner === owner)?.colour;
    if (colour) style[name] = colour;
  }
  return style;
}

export function pieceOf(board: BoardShape, code: number): Piece | undefined {
  return board.pieces[code - 1];
}

/** The number of a player's first kind of piece; 0 if there is none. */
export function pieceOfPlayer(board: BoardShape, player: Player): number {
  return board.pieces.findIndex((piece) => piece.owner === player) + 1;
}

export function pieceWords(board: BoardShape, code: number): string {
  const piece = pieceOf(board, code);
  if (!piece) return t("empty");
  if (piece.owner === null) return t(piece.name);
  const player = t(board.players[piece.owner]);
  return isLettered(board) ? `${player} ${t(piece.name)}` : player;
}

/** A piece with its middle at x and y. The second player's has a ring on it, one that is nobody's is square. */
export function PieceAt(props: { board: BoardShape; x: number; y: number; code: number; text?: string }): JSX.Element | null {
  const { board, x, y } = props;
  const piece = pieceOf(board, props.code);
  if (!piece) return null;
  const written = styleOf(board) === "marks" && props.text === undefined;
  if (written && piece.owner === 0) {
    return <path class="mark mark-0" d={`M${x - 26} ${y - 26}L${x + 26} ${y + 26}M${x + 26} ${y - 26}L${x - 26} ${y + 26}`} />;
  }
  if (written && piece.owner === 1) return <circle class="mark mark-1" cx={x} cy={y} r={29} />;
  if (props.text === undefined && isShogi(board)) return <ShogiPiece board={board} piece={piece} x={x} y={y} />;
  if (piece.owner !== null && props.text === undefined && hasFigures(board)) {
    return <Figure name={piece.name} tone={tone(board, piece.owner)} x={x} y={y} />;
  }
  const text = props.text ?? (isLettered(board) ? piece.letter.toUpperCase() : "");
  const radius = board.points ? 46 : board.shape === "hex" ? 38 : 41;
  const own = piece.colour ? { fill: piece.colour, stroke: `color-mix(in srgb, ${piece.colour} 65%, black)` } : {};
  const ink = piece.colour ? { fill: isLight(piece.colour) ? "#1b1d1f" : "#ffffff" } : {};
  return (
    <g class={`stone stone-${piece.owner === null ? "none" : tone(board, piece.owner)}`}>
      {piece.owner === null ? (
        <rect class="stone-body" x={x - 36} y={y - 36} width={72} height={72} rx={10} style={own} />
      ) : (
        <circle class="stone-body" cx={x} cy={y} r={radius} style={own} />
      )}
      {piece.owner !== null && <circle class="stone-shade" cx={x} cy={y} r={radius} />}
      {piece.owner === 1 && props.text === undefined && !board.points && <circle class="stone-ring" cx={x} cy={y} r={radius * (text ? 0.82 : 0.68)} />}
      {text && (
        <text class="stone-text" x={x} y={y + 14} style={ink}>
          {text}
        </text>
      )}
    </g>
  );
}

/** A piece by itself, beside a player's name. */
export function StoneIcon({ board, player }: { board: BoardShape; player: Player }): JSX.Element {
  const shown = { ...board, pieces: board.pieces.filter((piece) => piece.owner === player).slice(0, 1) };
  const code = shown.pieces.length;
  if (isShogi(board)) {
    return (
      <svg class="stone-icon" viewBox="4 4 92 94" aria-hidden="true">
        <PieceAt board={{ ...board, flipped: false }} x={50} y={52} code={board.pieces.findIndex(({ name, owner }) => name === "king" && owner === player) + 1} />
      </svg>
    );
  }
  if (hasFigures(board)) {
    return (
      <svg class="stone-icon" viewBox="12 6 76 80" aria-hidden="true">
        <Figure name="king" tone={tone(board, player)} x={50} y={50} />
      </svg>
    );
  }
  return (
    <svg class={`stone-icon look-${styleOf(board)}`} viewBox={`0 0 ${CELL} ${CELL}`} aria-hidden="true">
      {code ? (
        <PieceAt board={{ ...board, pieces: shown.pieces }} x={CELL / 2} y={CELL / 2} code={1} />
      ) : (
        <g class={`stone stone-${tone(board, player)}`}>
          <circle class="stone-body" cx={CELL / 2} cy={CELL / 2} r={38} />
        </g>
      )}
    </svg>
  );
}

/** The light on round pieces: one definition for all drawings of the page. */
export function Shades(): JSX.Element {
  return (
    <svg class="shades" width="0" height="0" aria-hidden="true" focusable="false">
      <defs>
        <radialGradient id="shade-dark" cx="0.36" cy="0.3" r="0.75">
          <stop offset="0" stop-color="#fff" stop-opacity="0.34" />
          <stop offset="0.5" stop-color="#fff" stop-opacity="0.04" />
          <stop offset="1" stop-color="#000" stop-opacity="0.18" />
        </radialGradient>
        <radialGradient id="shade-light" cx="0.38" cy="0.32" r="0.8">
          <stop offset="0" stop-color="#fff" stop-opacity="0.9" />
          <stop offset="0.6" stop-color="#fff" stop-opacity="0" />
          <stop offset="1" stop-color="#4a3d28" stop-opacity="0.26" />
        </radialGradient>
      </defs>
    </svg>
  );
}

function isLight(colour: string): boolean {
  const [r, g, b] = [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16)) as [number, number, number];
  return 0.3 * r + 0.59 * g + 0.11 * b > 150;
}
