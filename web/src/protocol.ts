// What the server and the page say to each other, as docs/web.md has it. Values are for the player to move.

export type Player = 0 | 1;
export type Options = Record<string, number | string | boolean | null>;

export interface Position {
  game: string;
  options: Options;
  moves: string[]; // as text, from the start of the game
}

export interface BoardShape {
  height: number;
  width: number;
  kind: "cells" | "points" | "columns";
  columns: string[]; // names, left to right
  rows: string[]; // names, top to bottom
  players: [string, string];
  stars: [number, number][]; // row, column
}

export interface Action {
  action: number;
  text: string;
  cells: number[]; // that it is drawn on, counted from the top left; none: a button
}

export interface Outcome {
  winner: Player | null;
  text: string;
}

export interface State {
  position: Position;
  board?: BoardShape; // where the server says it; otherwise the game's
  to_move: Player;
  cells: (Player | null)[];
  legal: Action[];
  last: Action | null;
  outcome: Outcome | null;
}

export interface Move extends Action {
  visits: number;
  value: number; // in [-1, 1]
  win_rate: number;
  prior: number;
  line: string[];
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
  options: Options;
  board: BoardShape;
  models: string[];
  levels: Level[];
  default_level: string;
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
  visits: number;
  q: number;
  prior: number;
  bonus: number | null; // U; null: infinite
  score: number | null; // Q + U
  standing: Standing;
}

export interface TraceStep {
  node: number;
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
  priors: { action: number; text: string; prior: number }[];
  changes: { node: number; visits: [number, number]; value_sum: [number, number] }[];
}

export interface TreeNode {
  node: number;
  parent: number | null;
  action: number | null;
  text: string;
  to_move: Player;
  visits: number;
  q: number; // for the player who chose the action that leads here; the root's for the player to move
  prior: number;
  value: number | null;
  proven: Outcome | null;
}

export interface Tree {
  nodes: TreeNode[]; // parents first
  nodes_total: number;
}

export interface ExplorerAnswer {
  explorer: number;
  finished: boolean;
  tree: Tree;
}

export interface StepsAnswer extends ExplorerAnswer {
  traces: Trace[];
}

// Training runs.

export interface RunSummary {
  name: string;
  game: string;
  iteration: number;
  iterations: number | null;
  running: boolean;
  updated: string | number | null;
}

export interface RunDetail extends RunSummary {
  config: Record<string, unknown>;
  points: Record<string, unknown>[];
  findings: unknown[];
  problem?: string | null; // what a run that failed said last
}

export interface RunGame {
  position: Position;
  outcome: Outcome | null;
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
  step: { fields: { explorer: number; count: number }; answer: StepsAnswer };
  close: { fields: { explorer: number }; answer: object };
}
