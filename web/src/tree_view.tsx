// The game tree as text: the line runs on, variations stand indented below the move that they replace.

import type { JSX } from "preact";
import type { Branch } from "./game_tree";

export function TreeView(props: { tree: Branch; at: string[]; onJump: (moves: string[]) => void }): JSX.Element {
  const here = JSON.stringify(props.at);
  const move = (moves: string[], numbered: boolean): JSX.Element => {
    const ply = moves.length - 1;
    const number = ply % 2 === 0 ? `${ply / 2 + 1}.` : `${(ply + 1) / 2}…`;
    const isHere = JSON.stringify(moves) === here;
    return (
      <span class="tree-move">
        {(ply % 2 === 0 || numbered) && <span class="soft">{number}</span>}
        <button
          type="button"
          class="quiet"
          aria-current={isHere ? "step" : undefined}
          data-moves={moves.join(" ")}
          onClick={() => props.onJump(moves)}
        >
          {moves.at(-1)}
        </button>
      </span>
    );
  };
  /** All that follows a branch: its first child's line, and before going on with it, the other children. */
  const follow = (branch: Branch, before: string[], fresh: boolean): JSX.Element[] => {
    const drawn: JSX.Element[] = [];
    for (let numbered = fresh; branch.children.length; ) {
      const [first, ...others] = branch.children as [Branch, ...Branch[]];
      drawn.push(move([...before, first.text], numbered));
      numbered = others.length > 0;
      for (const other of others) {
        const moves = [...before, other.text];
        drawn.push(
          <div class="variation">
            {move(moves, true)}
            {follow(other, moves, false)}
          </div>,
        );
      }
      before = [...before, first.text];
      branch = first;
    }
    return drawn;
  };
  if (!props.tree.children.length) return <p class="soft small">No moves yet. Play on the board, or paste a game.</p>;
  return <div class="game-tree number">{follow(props.tree, [], true)}</div>;
}
