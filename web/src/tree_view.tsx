// The game tree as text: the line runs on, variations stand indented below the move that they replace, comments after the
// move that they are about. The move that is shown stays in sight.

import type { JSX } from "preact";
import { type Grade, Symbol } from "./analyse/review";
import type { Branch } from "./game_tree";
import { useInSight } from "./in_sight";
import { moveText } from "./moves";
import type { Player } from "./protocol";
import { t } from "./language";

export function TreeView(props: {
  tree: Branch;
  first: Player; // who makes the first move
  at: string[];
  grades?: ReadonlyMap<string, Grade>; // of moves, by the line that leads to them as JSON
  onJump: (moves: string[]) => void;
}): JSX.Element {
  const here = JSON.stringify(props.at);
  const box = useInSight<HTMLDivElement>(here);
  const move = (branch: Branch, moves: string[], numbered: boolean): JSX.Element => {
    const ply = moves.length - 1;
    const number = ply % 2 === 0 ? `${ply / 2 + 1}.` : `${(ply + 1) / 2}…`;
    const key = JSON.stringify(moves);
    const grade = props.grades?.get(key);
    return (
      <span class="tree-move">
        {(ply % 2 === 0 || numbered) && <span class="soft">{number}</span>}
        <button
          type="button"
          class={`quiet ${grade ? `is-${grade}` : ""}`}
          aria-current={key === here ? "step" : undefined}
          data-moves={moves.join(" ")}
          onClick={() => props.onJump(moves)}
        >
          {moveText(branch.notation || branch.text, ((props.first + ply) % 2) as Player)}
          {grade && <Symbol grade={grade} />}
        </button>
        {branch.comment && <span class="tree-comment">{branch.comment}</span>}
      </span>
    );
  };
  /** All that follows a branch: its first child's line, and before going on with it, the other children. */
  const follow = (branch: Branch, before: string[], fresh: boolean): JSX.Element[] => {
    const drawn: JSX.Element[] = [];
    for (let numbered = fresh; branch.children.length; ) {
      const [first, ...others] = branch.children as [Branch, ...Branch[]];
      drawn.push(move(first, [...before, first.text], numbered));
      numbered = others.length > 0 || first.comment !== "";
      for (const other of others) {
        const moves = [...before, other.text];
        drawn.push(
          <div class="variation">
            {move(other, moves, true)}
            {follow(other, moves, other.comment !== "")}
          </div>,
        );
      }
      before = [...before, first.text];
      branch = first;
    }
    return drawn;
  };
  if (!props.tree.children.length) return <p class="soft small game-tree">{t("No moves yet. Play on the board, or paste a game.")}</p>;
  return (
    <div class="game-tree number" ref={box}>
      {props.tree.comment && <p class="tree-comment">{props.tree.comment}</p>}
      {follow(props.tree, [], true)}
    </div>
  );
}
