// The moves that were looked at, as a tree: a game, its variations, and what was written about them. The first child goes
// on with the line.

export interface Branch {
  text: string; // the move that leads here; the root's is empty
  notation: string; // of that move, for people; empty: not known yet
  comment: string;
  children: Branch[];
}

export function emptyTree(): Branch {
  return { text: "", notation: "", comment: "", children: [] };
}

/** The tree with this line in it, and the notation of its moves where it is known; the same tree if nothing changed. */
export function withLine(tree: Branch, moves: string[], notations: string[] = []): Branch {
  const [first, ...rest] = moves;
  if (first === undefined) return tree;
  const index = tree.children.findIndex((child) => child.text === first);
  const old = tree.children[index];
  const child = !notations[0] || old?.notation === notations[0] ? old : { ...old, notation: notations[0] };
  const grown = withLine({ ...emptyTree(), text: first, ...child }, rest, notations.slice(1));
  if (old && child === old && grown.children === old.children) return tree;
  const children = old ? tree.children.map((one) => (one === old ? grown : one)) : [...tree.children, grown];
  return { ...tree, children };
}

export function withComment(tree: Branch, moves: string[], comment: string): Branch {
  return changed(tree, moves, (branch) => (branch.comment === comment ? branch : { ...branch, comment }));
}

/** The tree with the branch at the end of this line changed; moves that are missing are added. */
function changed(tree: Branch, moves: string[], change: (branch: Branch) => Branch): Branch {
  const [first, ...rest] = moves;
  if (first === undefined) return change(tree);
  const index = tree.children.findIndex((child) => child.text === first);
  const child = tree.children[index] ?? { ...emptyTree(), text: first };
  const grown = changed(child, rest, change);
  if (index >= 0 && grown === child) return tree;
  const children = index >= 0 ? tree.children.map((one, at) => (at === index ? grown : one)) : [...tree.children, grown];
  return { ...tree, children };
}

/** The tree without the move at the end of this line and all that follows it. */
export function withoutLine(tree: Branch, moves: string[]): Branch {
  const [first, ...rest] = moves;
  if (first === undefined) return tree;
  const children = rest.length
    ? tree.children.map((child) => (child.text === first ? withoutLine(child, rest) : child))
    : tree.children.filter((child) => child.text !== first);
  return { ...tree, children };
}

/** The tree with the variation that these moves lead through as the main line. */
export function withMainLine(tree: Branch, moves: string[]): Branch {
  const [first, ...rest] = moves;
  const chosen = tree.children.find((child) => child.text === first);
  if (chosen === undefined) return tree;
  return { ...tree, children: [withMainLine(chosen, rest), ...tree.children.filter((child) => child !== chosen)] };
}

export function branchAt(tree: Branch, moves: string[]): Branch | undefined {
  let here: Branch | undefined = tree;
  for (const move of moves) here = here?.children.find((child) => child.text === move);
  return here;
}

/** These moves, and how the tree goes on after them to the end of the line. */
export function wholeLine(tree: Branch, moves: string[]): string[] {
  const line = [...moves];
  let here = branchAt(tree, moves);
  while ((here = here?.children[0])) line.push(here.text);
  return line;
}

/** The moves of a line as people write them. */
export function notationsOf(tree: Branch, moves: string[]): string[] {
  let here: Branch | undefined = tree;
  return moves.map((move) => {
    here = here?.children.find((child) => child.text === move);
    return here?.notation || move;
  });
}

/** A tree as a list, parents first: what the server reads and writes, and what the browser keeps. */
export interface FlatBranch {
  parent: number; // the index of the move before it; -1: the start, the first of the list
  text: string;
  notation: string;
  comment: string;
}

export function flatten(tree: Branch): FlatBranch[] {
  const flat: FlatBranch[] = [];
  const add = (branch: Branch, parent: number): void => {
    flat.push({ parent, text: branch.text, notation: branch.notation, comment: branch.comment });
    const index = flat.length - 1;
    for (const child of branch.children) add(child, index);
  };
  add(tree, -1);
  return flat;
}

export function unflatten(flat: FlatBranch[]): Branch {
  const branches = flat.map(({ text, notation, comment }): Branch => ({ text, notation, comment, children: [] }));
  flat.forEach(({ parent }, index) => branches[parent]?.children.push(branches[index] as Branch));
  return branches[0] ?? emptyTree();
}

/** Moves from what a visitor pastes: words, with or without numbers ("1. d4 e5 2. c3"), commas or lines between. */
export function readMoves(text: string): string[] {
  return text
    .replace(/\b\d+\.+(?=\s|[^\s\d])/g, " ")
    .split(/[\s,;]+/)
    .filter(Boolean);
}
