// Analyses that this browser keeps: each is a game with its variations and comments, under a name.

import { type Branch, type FlatBranch, branchAt, emptyTree, flatten, unflatten, wholeLine } from "./game_tree";
import type { Options, Player, Position, State } from "./protocol";
import { forget, keep, keptNames, remember } from "./storage";

export interface Document {
  id: string;
  name: string; // empty: the visitor gave it none
  game: string;
  options: Options;
  start?: string;
  tree: Branch;
  result?: Player | "draw"; // of its main line, if that came to an end on the board
  updated: number; // milliseconds since 1970
}

const START = "analysis.";
const MOST_KEPT = 200; // beyond that, the oldest one without a name is given up

type Kept = Omit<Document, "id" | "tree"> & { moves: FlatBranch[] };

export function readDocument(id: string): Document | null {
  try {
    const { moves, ...rest } = JSON.parse(remember(START + id) ?? "") as Kept;
    return { id, ...rest, tree: unflatten(moves) };
  } catch {
    return null;
  }
}

/** Nothing is kept of a document that has nothing in it. */
export function keepDocument(document: Document): void {
  const { id, tree, ...rest } = document;
  const moves = flatten(tree);
  if (moves.length < 2 && !tree.comment && !rest.name) return forget(START + id);
  keep(START + id, JSON.stringify({ ...rest, moves } satisfies Kept));
  const all = allDocuments();
  for (const old of all.slice(MOST_KEPT).filter((one) => !one.name)) deleteDocument(old.id);
}

export function deleteDocument(id: string): void {
  forget(START + id);
}

/** The one that changed last first. */
export function allDocuments(): Document[] {
  return keptNames(START)
    .map((name) => readDocument(name.slice(START.length)))
    .filter((document) => document !== null)
    .sort((a, b) => b.updated - a.updated);
}

/** A document of this game that has this line in it. */
export function documentWith(position: Position, line: string[]): Document | undefined {
  if (!line.length) return undefined;
  return allDocuments().find((one) => isOf(one, position) && branchAt(one.tree, line) !== undefined);
}

export function newDocument(id: string, { game, options, start }: Position): Document {
  return { id, name: "", game, options, ...(start ? { start } : {}), tree: emptyTree(), updated: Date.now() };
}

/** With the result of its main line, if this is the state at the end of that. */
export function withResult(document: Document, state: State): Document {
  const isMain = JSON.stringify(wholeLine(document.tree, [])) === JSON.stringify(state.position.moves);
  return isMain && state.outcome ? { ...document, result: state.outcome.winner ?? "draw" } : document;
}

export function isOf(document: Document, { game, options, start }: Position): boolean {
  const isSameStart = (document.start ?? "") === (start ?? "");
  return document.game === game && isSameStart && JSON.stringify(document.options) === JSON.stringify(options);
}
