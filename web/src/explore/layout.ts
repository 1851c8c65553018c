// Where the nodes of a search tree are drawn: from the top down, subtrees as close together as their outlines allow
// (Reingold and Tilford 1981), moves always in the same order so that a growing tree stays recognisable.

export interface Drawable {
  node: number;
  parent: number | null;
  action: number | null;
  visits: number;
}

export interface Place {
  x: number; // pixels from the left
  y: number;
  radius: number;
  depth: number;
}

/** From left to right at each depth below the top of a subtree, relative to its top. */
type Outline = { left: number; right: number }[];

const SMALLEST = 3.5; // radius of a node with one visit among many
const LARGEST = 17;
const GAP = 5;
const ROW = 62; // pixels between two depths, at least
const LARGEST_ROW = 96; // in a tree that is not deep
const HEIGHT = 340; // pixels that there are anyway
const WIDEST = 2.6; // how far a narrow tree is drawn apart
const MARGIN = 22;
const FAN_ROOM = 16; // below the deepest node, for its moves to come

/** Area grows with visits, so that the eye compares what it should. */
export function radiusOf(visits: number, most: number): number {
  return SMALLEST + (LARGEST - SMALLEST) * Math.sqrt(visits / Math.max(most, 8));
}

export interface Layout {
  places: Map<number, Place>;
  width: number;
  height: number;
}

/** Nodes come parents first. The drawing has this width, or as much more as it needs to squeeze the tree no further than
    `tightest`, up to `widest`. */
export function layOut(nodes: readonly Drawable[], room: number, tightest = 0, widest = room): Layout {
  const work = laying(nodes, room, tightest, widest);
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}

/** The same in small pieces, so that the page answers meanwhile. Returns how to give up. */
export function layOutSlowly(nodes: readonly Drawable[], room: number, tightest: number, widest: number, onDone: (layout: Layout) => void): () => void {
  const work = laying(nodes, room, tightest, widest);
  let timer = 0;
  const turn = (): void => {
    const end = performance.now() + SLICE;
    do {
      const { done, value } = work.next();
      if (done) return onDone(value);
    } while (performance.now() < end);
    timer = window.setTimeout(turn);
  };
  timer = window.setTimeout(turn);
  return () => clearTimeout(timer);
}

const SLICE = 8; // milliseconds of work at a time
const PIECE = 200; // nodes

function* laying(nodes: readonly Drawable[], room: number, tightest: number, widest: number): Generator<void, Layout> {
  const places = new Map<number, Place>();
  const [root] = nodes;
  if (root === undefined) return { places, width: room, height: HEIGHT };
  const children = childrenOf(nodes);
  const offsets = new Map<number, number>(); // of a node from its parent
  const outlines = new Map<number, Outline>();
  yield;
  let count = 0;
  for (let i = nodes.length - 1; i >= 0; i--) {
    if (++count % PIECE === 0) yield;
    const node = nodes[i] as Drawable;
    const below = children.get(node.node) ?? [];
    const { outline, at } = joined(below.map((child) => outlines.get(child.node) ?? []));
    below.forEach((child, i) => offsets.set(child.node, at[i] ?? 0));
    const radius = radiusOf(node.visits, root.visits);
    outlines.set(node.node, [{ left: -radius, right: radius }, ...outline]);
  }

  const outline = outlines.get(root.node) ?? [];
  const left = Math.min(...outline.map((row) => row.left));
  const natural = Math.max(...outline.map((row) => row.right)) - left;
  const width = Math.max(room, Math.min(widest, tightest * natural + 2 * MARGIN));
  const squeeze = Math.min(WIDEST, (width - 2 * MARGIN) / natural);
  const start = (width - squeeze * natural) / 2;
  const row = Math.min(LARGEST_ROW, Math.max(ROW, (HEIGHT - 2 * MARGIN - FAN_ROOM) / Math.max(1, outline.length - 1)));
  places.set(root.node, { x: start - squeeze * left, y: MARGIN, radius: LARGEST, depth: 0 });
  for (const node of nodes) {
    if (++count % PIECE === 0) yield;
    const parent = places.get(node.parent ?? root.node);
    if (parent === undefined) continue;
    const isRoot = node === root;
    const depth = isRoot ? 0 : parent.depth + 1;
    const radius = radiusOf(node.visits, root.visits) * (isRoot ? 1 : Math.max(0.5, Math.min(1, squeeze * 1.25)));
    places.set(node.node, {
      x: parent.x + (isRoot ? 0 : squeeze * (offsets.get(node.node) ?? 0)),
      y: MARGIN + depth * row,
      radius,
      depth,
    });
  }
  return { places, width, height: 2 * MARGIN + (outline.length - 1) * row + FAN_ROOM };
}

function childrenOf(nodes: readonly Drawable[]): Map<number, Drawable[]> {
  const children = new Map<number, Drawable[]>();
  for (const node of nodes) {
    if (node.parent === null) continue;
    const siblings = children.get(node.parent);
    if (siblings) siblings.push(node);
    else children.set(node.parent, [node]);
  }
  for (const siblings of children.values()) siblings.sort((a, b) => (a.action ?? 0) - (b.action ?? 0));
  return children;
}

/** Subtrees side by side, as close as they can be: their outline around the middle, and where each top is. */
function joined(subtrees: Outline[]): { outline: Outline; at: number[] } {
  const outline: Outline = [];
  const at: number[] = [];
  for (const subtree of subtrees) {
    const overlaps = subtree.map((row, depth) => (outline[depth]?.right ?? -Infinity) + GAP - row.left);
    const shift = at.length > 0 ? Math.max(...overlaps) : 0;
    at.push(shift);
    subtree.forEach((row, depth) => {
      const left = Math.min(outline[depth]?.left ?? Infinity, row.left + shift);
      outline[depth] = { left, right: row.right + shift };
    });
  }
  const middle = at.length > 0 ? ((at[0] ?? 0) + (at.at(-1) ?? 0)) / 2 : 0;
  return {
    outline: outline.map((row) => ({ left: row.left - middle, right: row.right - middle })),
    at: at.map((x) => x - middle),
  };
}
