// The game tree as a drawing: the main line runs to the right, a variation begins below the move that it replaces. A
// press jumps there; the keyboard has the list and the steps.

import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { type Grade, SYMBOLS } from "./analyse/review";
import { playersClass, playersStyle } from "./board/pieces";
import type { Branch } from "./game_tree";
import { useInSight } from "./in_sight";
import { t } from "./language";
import { moveText } from "./moves";
import type { BoardShape, Player } from "./protocol";

interface Dot {
  branch: Branch;
  moves: string[];
  key: string;
  x: number;
  y: number;
  parent: Dot | null;
}

const [STEP_X, STEP_Y, RADIUS] = [30, 30, 10];

export function TreeDrawing(props: {
  board: BoardShape;
  tree: Branch;
  first: Player; // who makes the first move
  at: string[];
  grades?: ReadonlyMap<string, Grade>;
  onJump: (moves: string[]) => void;
}): JSX.Element {
  const dots = useMemo(() => layOut(props.tree), [props.tree]);
  const here = JSON.stringify(props.at);
  const box = useInSight<HTMLDivElement>(here);
  const width = STEP_X * (1 + Math.max(0, ...dots.map(({ x }) => x)));
  const height = STEP_Y * (1 + Math.max(0, ...dots.map(({ y }) => y)));
  const [px, py] = [(x: number) => STEP_X * (x + 0.5), (y: number) => STEP_Y * (y + 0.5)];
  return (
    <div class={`game-tree tree-drawing ${playersClass(props.board)}`} style={playersStyle(props.board)} ref={box}>
      <svg viewBox={`0 0 ${width} ${height}`} width={width} height={height} role="group" aria-label={t("Game tree of {n} moves", { n: dots.length - 1 })}>
        <g class="tree-lines">
          {dots.map(({ parent, x, y }) => {
            if (!parent) return null;
            const bend = y === parent.y ? "" : `V${py(y) - 12}`;
            return <path d={`M${px(parent.x)} ${py(parent.y)}${bend}L${px(x)} ${py(y)}`} />;
          })}
        </g>
        {dots.map((dot) => {
          const grade = props.grades?.get(dot.key);
          const player = (props.first + dot.moves.length + 1) % 2;
          return (
            <g
              class={`tree-dot-of ${dot.moves.length ? `player-${player}` : "is-start"} ${grade ? `is-graded grade-${grade}` : ""}`}
              aria-current={dot.key === here ? "step" : undefined}
              data-moves={dot.moves.join(" ")}
              onClick={() => props.onJump(dot.moves)}
            >
              <title>{dot.moves.length ? `${dot.moves.length}. ${moveText(dot.branch.notation || dot.branch.text, player as Player)}${grade ? ` ${SYMBOLS[grade]}` : ""}` : t("Start")}</title>
              <circle cx={px(dot.x)} cy={py(dot.y)} r={dot.moves.length ? RADIUS : 5} />
              {dot.branch.comment && <circle class="has-comment" cx={px(dot.x) + 8} cy={py(dot.y) - 8} r={4} />}
            </g>
          );
        })}
      </svg>
    </div>
  );
}

/** Every line has a row of its own, as high up as the moves before it leave room. */
function layOut(tree: Branch): Dot[] {
  const dots: Dot[] = [];
  const ends: number[] = []; // of each row: the last place that is taken
  const place = (branch: Branch, moves: string[], parent: Dot | null, row: number): void => {
    const x = moves.length;
    const dot: Dot = { branch, moves, key: JSON.stringify(moves), x, y: row, parent };
    dots.push(dot);
    ends[row] = Math.max(ends[row] ?? -1, x);
    branch.children.forEach((child, index) => {
      const longest = depth(child) + x;
      let to = row;
      if (index > 0) {
        to = row + 1;
        while ((ends[to] ?? -1) >= x) to++;
        ends[to] = longest;
      }
      place(child, [...moves, child.text], dot, to);
    });
  };
  place(tree, [], null, 0);
  return dots;
}

/** Moves to the end of the line that goes on with a branch. */
function depth(branch: Branch): number {
  let length = 1;
  for (let here = branch.children[0]; here; here = here.children[0]) length++;
  return length;
}
