// The moves that were looked at, as a tree: a game and its variations. The first child goes on with the line.

export interface Branch {
  text: string; // the move that leads here; the root's is empty
  children: Branch[];
}

export function emptyTree(): Branch {
  return { text: "", children: [] };
}

/** The tree with this line in it; the same tree if it was there. */
export function withLine(tree: Branch, moves: string[]): Branch {
  const [first, ...rest] = moves;
  if (first === undefined) return tree;
  const index = tree.children.findIndex((child) => child.text === first);
  const child = tree.children[index] ?? { text: first, children: [] };
  const grown = withLine(child, rest);
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

/** These moves, and how the tree goes on after them to the end of the line. */
export function wholeLine(tree: Branch, moves: string[]): string[] {
  const line = [...moves];
  let here: Branch | undefined = tree;
  for (const move of moves) here = here?.children.find((child) => child.text === move);
  while ((here = here?.children[0])) line.push(here.text);
  return line;
}

type Packed = [string, ...Packed[]];

export function packTree(tree: Branch): string {
  const pack = (branch: Branch): Packed => [branch.text, ...branch.children.map(pack)];
  return JSON.stringify(pack(tree));
}

export function unpackTree(text: string | null): Branch {
  const unpack = ([move, ...children]: Packed): Branch => ({ text: move, children: children.map(unpack) });
  try {
    return text === null ? emptyTree() : unpack(JSON.parse(text) as Packed);
  } catch {
    return emptyTree();
  }
}

/** Moves from what a visitor pastes: words, with or without numbers ("1. d4 e5 2. c3"), commas or lines between. */
export function readMoves(text: string): string[] {
  return text
    .replace(/\b\d+\.+(?=\s|[^\s\d])/g, " ")
    .split(/[\s,;]+/)
    .filter(Boolean);
}
