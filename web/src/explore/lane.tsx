// One search: its tree, and a card for each stage of the last simulation with the numbers of that stage.

import type { ComponentChildren, JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { App } from "../app";
import { Board } from "../board/board";
import { rich, t } from "../language";
import { outcomeText } from "../outcomes";
import type { BoardShape, Position, State, Trace, TreeNode } from "../protocol";
import { after, useShown } from "../shown";
import { useStateOf } from "../state_of";
import type { SearchView } from "./search";
import type { Moment } from "./moment";
import { Stages } from "./stages";
import { Changes, Children, Evaluation, Notes, Scores, Worked } from "./tables";
import { TreeView } from "./tree_view";
import { moveText } from "../moves";
import { LAST_STAGE, type Selection, sentences, STAGES } from "./words";

interface Props {
  app: App;
  title: string;
  about: string;
  board: BoardShape;
  root: State;
  view: SearchView;
  moment: Moment;
  selection: Selection;
  c: number;
  isWhole: boolean; // all nodes of the tree are drawn
  onWhole: (isWhole: boolean) => void;
  onMoment: (moment: Moment) => void;
  onSearchFrom: (position: Position) => void;
}

export function Lane(props: Props): JSX.Element {
  const { app, board, view, moment, selection } = props;
  const { trace } = view;
  const players = board.players.map((name) => t(name));
  const [selected, setSelected] = useStateOf<number | null>(null, [view.simulations, view.setting]);
  const [tab, setTab] = useStateOf<number | null>(null, [view.simulations, moment]); // depth of the table, if chosen

  const nodes = useMemo(() => nodesAt(view, moment), [view, moment]);
  const line = trace ? trace.changes.map((change) => change.node) : [];
  const reached = moment.stage === 0 ? line.slice(0, moment.depth + 2) : line;
  const node = selected === null ? undefined : view.tree.nodes.find((one) => one.node === selected);
  const told = sentences(trace, selection, players);
  const best = bestMove(view.tree.nodes);
  const depth = Math.min(tab ?? (moment.stage === 0 ? moment.depth : 0), Math.max(0, (trace?.path.length ?? 0) - 1));
  const step = trace?.path[depth];
  const setting = view.setting;
  const drawn = view.tree.nodes.length + (view.tree.rest?.node.length ?? 0);

  return (
    <section class="lane" aria-label={props.title}>
      <header class="lane-head">
        <h2>{props.title}</h2>
        <p class="soft">{props.about}</p>
      </header>
      <div class="lane-grid">
        <div class="card lane-tree" data-tour="tree">
          <Stages
            stage={moment.stage}
            isIdle={trace === null}
            onStage={(stage) => props.onMoment({ stage, depth: 0 })}
          />
          <TreeView
            nodes={nodes}
            whole={view.tree.rest ? view.tree : null}
            total={view.tree.nodes_total}
            path={new Set(reached)}
            leaf={trace && moment.stage > 0 ? trace.leaf : null}
            priors={trace && moment.stage > 0 ? trace.priors : []}
            selected={selected}
            onSelect={setSelected}
            players={players}
            label={t("Search tree: {name}", { name: props.title })}
            hint={hintOf(props)}
          />
          <footer class="tree-legend">
            <span class="tree-count">
              {rich("*{n}* {n:node|nodes}", { n: view.tree.nodes_total })}
              {view.tree.nodes_total > drawn && t(", the {count} most visited drawn", { count: drawn })}
            </span>
            {view.tree.nodes_total > view.tree.nodes.length && (
              <label class="check">
                <input type="checkbox" checked={props.isWhole} onChange={(event) => props.onWhole(event.currentTarget.checked)} />
                {t("Draw all nodes")}
              </label>
            )}
            {best && (
              <span>
                {t("most visited:")} <b>{moveText(best.notation)}</b> ({best.visits})
              </span>
            )}
            <span class="q-legend">
              {t("good for {player}", { player: players[1] ?? "" })} <i aria-hidden="true" /> {t("good for {player}", { player: players[0] ?? "" })}
            </span>
          </footer>
        </div>

        {node && setting ? (
          <NodeCard {...props} node={node} position={setting.position} onClose={() => setSelected(null)} />
        ) : (
          <StageCard stage={0} moment={moment} sentence={told[0]} isIdle={!trace}>
            {trace && trace.path.length > 1 && <PathTabs trace={trace} depth={depth} onDepth={setTab} />}
            {step && <Scores step={step} selection={selection} />}
            {step && <Worked step={step} selection={selection} c={props.c} />}
            {step && <Notes step={step} selection={selection} />}
          </StageCard>
        )}
        <StageCard stage={1} moment={moment} sentence={told[1]} isIdle={!trace}>
          {trace && setting && <LeafBoard app={app} trace={trace} position={setting.position} />}
          {trace && <NewEdges trace={trace} />}
        </StageCard>
        <StageCard stage={2} moment={moment} sentence={told[2]} isIdle={!trace}>
          {trace && <Evaluation trace={trace} selection={selection} players={players} />}
        </StageCard>
        <StageCard stage={3} moment={moment} sentence={told[3]} isIdle={!trace}>
          {trace && <Changes trace={trace} nodes={view.tree.nodes} selection={selection} players={players} />}
        </StageCard>
      </div>
      {view.error && (
        <p class="lane-error" role="alert">
          {view.error}
        </p>
      )}
    </section>
  );
}

function StageCard(props: {
  stage: number;
  moment: Moment;
  sentence: string | undefined;
  isIdle: boolean;
  children?: ComponentChildren;
}): JSX.Element {
  const isLit = !props.isIdle && props.stage === props.moment.stage;
  const isToCome = !props.isIdle && props.stage > props.moment.stage;
  return (
    <section data-tour={`stage-${props.stage}`} class={`card stage-card ${isLit ? "is-lit" : ""} ${isToCome ? "is-to-come" : ""}`}>
      <h3>
        <span class="stage-number" aria-hidden="true">
          {props.stage + 1}
        </span>
        {STAGES[props.stage]}
      </h3>
      <p class="stage-sentence">{props.sentence}</p>
      {props.children}
    </section>
  );
}

/** The choices from the root down; each opens the scores of its siblings. */
function PathTabs(props: { trace: Trace; depth: number; onDepth: (depth: number) => void }): JSX.Element {
  return (
    <div class="path-tabs" role="group" aria-label={t("Choices on the path")}>
      {props.trace.path.map((step, depth) => (
        <button type="button" key={step.node} aria-pressed={depth === props.depth} onClick={() => props.onDepth(depth)}>
          {moveText(step.children.find((child) => child.action === step.chosen)?.notation ?? "")}
        </button>
      ))}
    </div>
  );
}

/** The edges that the expansion added, each with its prior. */
function NewEdges({ trace }: { trace: Trace }): JSX.Element | null {
  if (!trace.priors.length) return null;
  const edges = [...trace.priors].sort((a, b) => b.prior - a.prior);
  return (
    <p class="new-edges small number">
      <span class="soft">{t("New edges, with their P:")}</span>{" "}
      {edges.slice(0, MOST_EDGES).map(({ notation, prior }) => (
        <span class="edge">
          {moveText(notation)} <b>{prior.toFixed(2)}</b>
        </span>
      ))}
      {edges.length > MOST_EDGES && <span class="soft">{t("and {count} more", { count: edges.length - MOST_EDGES })}</span>}
    </p>
  );
}

const MOST_EDGES = 12;

/** The position that the simulation came to. */
function LeafBoard(props: { app: App; trace: Trace; position: Position }): JSX.Element | null {
  const { trace, position } = props;
  const texts = trace.path.map((step) => step.children.find((child) => child.action === step.chosen)?.text ?? "");
  const { state } = useShown(props.app, after(position, ...texts));
  return state && <Board board={state.board} state={state} label={t("Position of the new node")} />;
}

/** Any node of the tree: its position and what was tried from there. */
function NodeCard(props: Props & { node: TreeNode; position: Position; onClose: () => void }): JSX.Element {
  const { node, board, view } = props;
  const texts = lineTo(node, view.tree.nodes);
  const position = after(props.position, ...texts);
  const { state } = useShown(props.app, position);
  const name = node.parent === null ? t("The position itself") : t("{player} plays {move}", { player: t(board.players[node.chooser]), move: moveText(node.notation) });
  return (
    <section class="card stage-card node-card" aria-label={t("Node")}>
      <h3>{name}</h3>
      <p class="soft">
        {texts.length > 1 ? `${t("Line: {moves}.", { moves: texts.join(" ") })} ` : ""}
        {t("{n} {n:visit|visits}", { n: node.visits })}
        {node.proven ? `, ${t("proven: {result}", { result: outcomeText(node.proven, board.players) })}` : ""}
      </p>
      <div class="node-card-body">
        {state && <Board board={state.board} state={state} label={t("Position of this node")} />}
        <Children parent={node} nodes={view.tree.nodes} selection={props.selection} c={props.c} />
      </div>
      <div class="buttons">
        <button type="button" onClick={props.onClose}>
          {t("Back to the simulation")}
        </button>
        {texts.length > 0 && !state?.outcome && (
          <button type="button" onClick={() => props.onSearchFrom(position)}>
            {t("Search from here")}
          </button>
        )}
      </div>
    </section>
  );
}

function hintOf({ view, root }: Props): string | null {
  if (view.trace !== null) return null;
  if (root.outcome) return t("The game is over: there is nothing to search.");
  return view.setting ? t("Press Step: the tree grows here.") : t("One moment …");
}

function lineTo(node: TreeNode, nodes: TreeNode[]): string[] {
  const texts: string[] = [];
  let at: TreeNode | undefined = node;
  while (at && at.parent !== null) {
    texts.unshift(at.text);
    const parent: number = at.parent;
    at = nodes.find((one) => one.node === parent);
  }
  return texts;
}

function bestMove(nodes: TreeNode[]): TreeNode | undefined {
  const moves = nodes.filter((node) => node.parent === nodes[0]?.node);
  return moves.sort((a, b) => b.visits - a.visits)[0];
}

/** While a simulation is shown stage by stage, the tree is what it was: the leaf joins it, then the numbers change. */
function nodesAt(view: SearchView, moment: Moment): TreeNode[] {
  if (!view.trace || moment.stage === LAST_STAGE) return view.tree.nodes;
  if (moment.stage === 0) return view.before.nodes;
  const before = new Map(view.before.nodes.map((node) => [node.node, node]));
  return view.tree.nodes.map((node) => before.get(node.node) ?? { ...node, q: 0 });
}
