// The document of the Analyse screen: what the place says is added to it as soon as the server knows it for possible.

import { useLayoutEffect, useState } from "preact/hooks";
import type { App } from "../app";
import { type Document, documentWith, isOf, keepDocument, newDocument, readDocument, withResult } from "../documents";
import { type Branch, branchAt, withLine } from "../game_tree";
import { type Spot, freshId } from "../link";
import type { State } from "../protocol";

export interface Opened {
  document: Document;
  line: string[]; // of the place, to its end
  change: (change: Partial<Pick<Document, "tree" | "name">>) => void;
}

/** `whole`: the state after all moves of the place; null while the server has not said that they can be. Without an id, the document that has them is looked for. */
export function useDocument(app: App, spot: Spot, whole: State | null, adopt: (id: string) => void): Opened {
  const [, redraw] = useState(0);
  const { id, line, position } = spot;
  const stored = id === null ? null : readDocument(id);
  const document = stored && isOf(stored, position) ? stored : newDocument(id ?? "", position);
  const isPossible = whole !== null;
  const tree = isPossible ? withLine(document.tree, line, whole.notations) : document.tree;
  const shown = { ...document, tree };
  const save = (changed: Document): void => {
    keepDocument({ ...changed, updated: Date.now() });
    redraw((count) => count + 1);
  };
  const place = JSON.stringify([app.place, isPossible]);
  useLayoutEffect(() => {
    if (!isPossible) return; // before the next press on the board, which goes on from this place
    if (id === null || (stored !== null && !isOf(stored, position))) {
      const found = documentWith(position, line);
      const fresh = found ?? newDocument(freshId(), position);
      if (!found) keepDocument(withResult({ ...fresh, tree: withLine(fresh.tree, line, whole.notations) }, whole));
      adopt(fresh.id);
    } else if (tree !== document.tree) save(withResult(shown, whole));
  }, [place]);
  return { document: shown, line, change: (change) => id !== null && save({ ...shown, ...change }) };
}

/** How a line goes on: as the place says, else as the tree does. */
export function lineThrough(tree: Branch, moves: string[], before: string[]): string[] {
  const isBefore = moves.every((move, ply) => before[ply] === move);
  const start = isBefore && branchAt(tree, before) ? before : moves;
  const line = [...start];
  let here = branchAt(tree, start);
  while ((here = here?.children[0])) line.push(here.text);
  return line;
}
