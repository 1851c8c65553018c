// What the server and the page say to each other, as docs/web.md has it. Values are for the player to move.

export type Player = 0 | 1;
export type Options = Record<string, number | string | boolean | null>;

export interface Position {
  game: string;
  options: Options;
  start?: string; // a board as text (FEN in chess); none: the game's own start
  moves: string[]; // as text, from there
}

export interface Piece {
  name: string;
  letter: string;
  owner: Player | null;
  colour: string; // "#rrggbb"; empty: as the page likes
}

export interface BoardShape {
  height: number;
  width: number;
  shape: "square" | "hex";
  points: boolean; // drawn as the crossings of lines
  layout: "cells" | "columns" | "planes" | "dense"; // how actions are related to the board
  columns: string[]; // names, left to right
  rows: string[]; // names, top to bottom
  players: [string, string];
  pieces: Piece[]; // piece number n of a cell is pieces[n - 1]; none: the game does not say what stands on its board
  score_name: string;
  stars: [number, number][]; // row, column
  flipped?: boolean; // seen from the second player's side; the page's own
}

/** Where something happens on the board: a piece moves from source to target, or comes to the target from elsewhere. */
export interface Step {
  source: number | null; // cells, counted from the top left
  target: number | null;
  piece: number | null; // that comes from a hand
}

export interface Action extends Step {
  action: number;
  text: string;
  notation: string; // for people: Nf3; of most games the text
}

export interface Outcome {
  winner: Player | null;
  text: string; // "white wins"
  reason: string;
  sentence: string; // "White wins: two passes, 47 to 34.5"
}

export interface Held {
  piece: number;
  count: number;
}

export interface State {
  position: Position;
  board: BoardShape;
  to_move: Player;
  cells: number[] | null; // pieces by number, 0 is empty; null: see `text`
  hands: [Held[], Held[]];
  score: number | null; // of the first player
  text: string | null; // the board as the game draws it, if there are no cells
  board_text: string; // the position as programs exchange it (FEN), or as the game draws it
  notations: string[]; // of the moves of the position
  legal: Action[];
  last: Action | null;
  outcome: Outcome | null;
}

export interface Move extends Action {
  visits: number;
  value: number; // in [-1, 1]
  win_rate: number;
  prior: number;
  line: string[]; // as notation
  drawn: (Step & { player: Player })[]; // the first moves of the line; empty for moves that few look at
}

export interface Analysis {
  state: State;
  model: string;
  simulations: number;
  seconds: number;
  win: number; // these three: what the network says
  draw: number;
  loss: number;
  value: number; // what the search found
  moves: Move[]; // the one to play first
  policy: { action: number; prior: number }[];
  ownership: number[] | null; // +1 the first player's, -1 the second's
  lead: number | null; // of the player to move at the end, in what the game counts
  proven: Outcome | null;
  final: boolean;
}

export interface Chosen {
  action: number;
  text: string;
  state: State;
  analysis: Analysis;
}

export interface Level {
  name: string;
  simulations: number;
  temperature: number;
}

export interface GameInfo {
  name: string;
  title: string;
  summary: string;
  problem: null;
  options: Options;
  board: BoardShape;
  models: string[];
  levels: Level[];
  default_level: string;
}

/** A game that the server was started with and can't show, and why. */
export interface BrokenGame {
  name: string;
  title: string;
  problem: string;
}

export interface About {
  version: string;
  threads: number;
  evaluator: string;
  limits: Record<string, number>;
}

// The explorer.

export interface ExplorerParams {
  c_puct?: number;
  noise_fraction?: number;
  [name: string]: number | string | undefined;
}

/** What puts a child before or behind its siblings, whatever its score; "compared": nothing does. */
export type Standing = "compared" | "winning" | "forced" | "untried" | "waiting" | "settled";

export interface TraceChild {
  action: number;
  text: string;
  notation: string;
  visits: number;
  q: number;
  prior: number;
  bonus: number | null; // U; null: infinite
  score: number | null; // Q + U
  standing: Standing;
}

export interface TraceStep {
  node: number;
  to_move: Player;
  state_text: string;
  children: TraceChild[];
  chosen: number;
}

export interface Trace {
  simulation: number;
  path: TraceStep[];
  leaf: number;
  kind: string;
  value: number;
  priors: { action: number; text: string; notation: string; prior: number }[];
  changes: { node: number; visits: [number, number]; value_sum: [number, number] }[];
}

export interface TreeNode {
  node: number;
  parent: number | null;
  action: number | null;
  text: string;
  notation: string;
  to_move: Player;
  chooser: Player; // of the action that leads here; at the root the player to move
  visits: number;
  q: number; // for the player who chose the action that leads here; the root's for the player to move
  prior: number;
  value: number | null;
  proven: Outcome | null;
}

export interface Tree {
  nodes: TreeNode[]; // parents first
  nodes_total: number;
  rest?: TreeRest | null; // if it was asked for
}

/** The nodes after those, the most visited first; a number of each list is of one node. */
export interface TreeRest {
  node: number[];
  parent: number[];
  action: number[];
  visits: number[];
  q: number[]; // for the first player
}

export interface ExplorerAnswer {
  explorer: number;
  finished: boolean;
  tree: Tree;
}

export interface StepsAnswer extends ExplorerAnswer {
  simulations: number; // done so far
  traces: Trace[];
}

// Training runs.

export interface RunSummary {
  name: string;
  game: string;
  iteration: number;
  iterations: number | null;
  running: boolean;
  bundled: boolean; // made a network that comes with tengen
  finished: boolean; // it did all of its iterations, or used up its minutes
  updated: string | number | null;
}

export interface RunDetail extends RunSummary {
  config: Record<string, unknown>;
  points: Record<string, unknown>[];
  findings: unknown[];
  minutes: number | null; // that the page gave it
  problem?: string | null; // what a run that failed said last
}

export interface RunSetting {
  name: string; // "self_play.simulations"
  value: boolean | number | string;
  origin: string; // where the value comes from
  meaning: string;
  unit: string;
  choices: string[]; // if it is one of a few
}

export interface RunGame {
  position: Position;
  outcome: Outcome | null;
  players: Player[]; // who made each move
  values: (number | null)[]; // for the player to move; null where nothing was recorded
}

// WebSocket: request type -> its fields and its answer.

export interface Requests {
  show: { fields: { position: Position }; answer: State };
  play: { fields: { position: Position; action: string }; answer: State };
  choose: {
    fields: { position: Position; model: string; level?: string; simulations?: number; temperature?: number };
    answer: Chosen;
  };
  analyse: {
    fields: { position: Position; model: string; simulations?: number; seconds?: number };
    answer: Analysis;
  };
  stop: { fields: { target: number }; answer: object };
  explore: {
    fields: { position: Position; model: string; params: ExplorerParams; seed?: number };
    answer: ExplorerAnswer;
  };
  step: { fields: { explorer: number; count: number; last?: boolean; whole?: boolean }; answer: StepsAnswer };
  close: { fields: { explorer: number }; answer: object };
}
