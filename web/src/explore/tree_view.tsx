// The tree as it grows: a node's size is its visits, its colour who is better off there, the path of the simulation is
// drawn in bold. Arrow keys walk through it; hovering or walking shows the numbers, a click or Enter opens the node.

import type { JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { t } from "../language";
import { outcomeText } from "../outcomes";
import type { Trace, Tree, TreeNode, TreeRest } from "../protocol";
import { Crowd } from "./crowd";
import { type Drawable, type Layout, layOut, layOutSlowly, type Place } from "./layout";
import { moveText } from "../moves";
import { percent, signed } from "./words";

interface Props {
  nodes: TreeNode[];
  whole: Tree | null; // with the nodes that are not among these, if all are drawn
  total: number; // in the whole tree; `nodes` has the most visited
  path: ReadonlySet<number>; // nodes of the simulation, as far as it has come
  leaf: number | null; // where it ended, once it is there
  priors: Trace["priors"]; // of the leaf, drawn as its moves to come
  selected: number | null;
  onSelect: (node: number | null) => void;
  players: readonly string[];
  label: string;
  hint: string | null; // said where the tree will be
}

const FAN = 22; // pixels that the moves to come hang below the leaf
const FEW = 40; // nodes that all have room for their moves beside them
const ROOM_FOR_TEXT = 9.5; // radius from which a move fits into its node

export function TreeView(props: Props) {
  const { nodes, path, leaf, selected, players } = props;
  const [box, width] = useWidth();
  const [focused, setFocused] = useState<number | null>(null);
  const layout = useLayout(nodes, props.whole, width);
  const { places, height } = layout;
  const rest = props.whole?.rest;
  const byNumber = useMemo(() => new Map(nodes.map((node) => [node.node, node])), [nodes]);
  const shown = focused !== null ? byNumber.get(focused) : undefined;

  const onKeyDown = (event: KeyboardEvent): void => {
    const from = focused ?? selected ?? nodes[0]?.node;
    if (from === undefined) return;
    if (event.key === "Enter" || event.key === " ") props.onSelect(from);
    else if (event.key === "Escape") props.onSelect(null);
    else {
      const to = neighbour(event.key, from, nodes, places);
      if (to === undefined) return;
      setFocused(to);
    }
    event.preventDefault();
  };

  return (
    <div class={`tree ${rest ? "is-whole" : ""}`} ref={box}>
      {rest && <Crowd rest={rest} layout={layout} room={width} frame={box} />}
      <svg
        viewBox={`0 0 ${layout.width} ${Math.max(height, 150)}`}
        width={layout.width}
        height={Math.max(height, 150)}
        role="application"
        tabindex={0}
        aria-label={t("{label}. {n} nodes. Arrow keys walk through the tree, Enter opens a node.", { label: props.label, n: props.total })}
        onKeyDown={onKeyDown}
        onFocus={() => setFocused((now) => now ?? nodes[0]?.node ?? null)}
        onBlur={() => setFocused(null)}
        onMouseLeave={() => setFocused(null)}
      >
        <g class="tree-edges">
          {nodes.map((node) => {
            const from = node.parent === null ? undefined : places.get(node.parent);
            const to = places.get(node.node);
            if (!from || !to) return null;
            const isOnPath = path.has(node.node);
            return <path key={node.node} d={curve(from, to)} class={isOnPath ? "is-on-path" : ""} />;
          })}
        </g>
        {leaf !== null && places.has(leaf) && <Fan place={places.get(leaf)!} priors={props.priors} />}
        <g class="tree-nodes">
          {nodes.filter(({ node }) => places.has(node)).map((node) => (
            <Circle
              key={node.node}
              node={node}
              place={places.get(node.node)!}
              isOnPath={path.has(node.node)}
              isLeaf={node.node === leaf}
              isAmongFew={nodes.length <= FEW}
              isSelected={node.node === selected}
              isFocused={node.node === focused}
              sign={chooserSign(node)}
              onPoint={() => setFocused(node.node)}
              onSelect={() => props.onSelect(node.node)}
            />
          ))}
        </g>
      </svg>
      {props.hint && <p class="tree-hint soft">{props.hint}</p>}
      {shown && places.has(shown.node) && <Numbers node={shown} place={places.get(shown.node)!} width={layout.width} players={players} />}
      <p class="visually-hidden" aria-live="polite">
        {shown && spoken(shown, players)}
      </p>
    </div>
  );
}

function Circle(props: {
  node: TreeNode;
  place: Place;
  isOnPath: boolean;
  isLeaf: boolean;
  isAmongFew: boolean;
  isSelected: boolean;
  isFocused: boolean;
  sign: number;
  onPoint: () => void;
  onSelect: () => void;
}) {
  const { node, place } = props;
  const names = [
    "tree-node",
    props.isOnPath && "is-on-path",
    props.isLeaf && "is-leaf",
    props.isSelected && "is-selected",
    props.isFocused && "is-focused",
    node.proven && "is-proven",
  ];
  const isNamed = node.parent !== null && place.radius >= ROOM_FOR_TEXT && moveText(node.notation).length <= 3;
  const isLabelled = node.parent !== null && !isNamed && (props.isOnPath || props.isAmongFew);
  return (
    <g
      class={names.filter(Boolean).join(" ")}
      style={`transform: translate(${place.x}px, ${place.y}px); ${colourOf(props.sign * (node.q ?? 0))}`}
      data-node={node.node}
      data-visits={node.visits}
      onMouseEnter={props.onPoint}
      onClick={props.onSelect}
    >
      <circle class="tree-reach" r={Math.max(place.radius + 2, 7)} />
      <circle class="tree-dot" r={place.radius} />
      {isNamed && <text dy="0.35em">{moveText(node.notation)}</text>}
      {isLabelled && (
        <text class="tree-label" x={place.radius + 4} dy="0.35em">
          {moveText(node.notation)}
        </text>
      )}
    </g>
  );
}

/** The moves of the new leaf that nobody tried yet, the longer the better the network likes them. */
function Fan({ place, priors }: { place: Place; priors: Trace["priors"] }) {
  const highest = Math.max(...priors.map((move) => move.prior), 1e-9);
  const spread = Math.min(2.4, 0.3 * priors.length);
  return (
    <g class="tree-fan" style={`transform: translate(${place.x}px, ${place.y}px)`} aria-hidden="true">
      {priors.map((move, i) => {
        const angle = priors.length > 1 ? spread * (0.5 - i / (priors.length - 1)) : 0;
        const length = place.radius + 5 + FAN * (move.prior / highest);
        const [x, y] = [Math.sin(angle), Math.cos(angle)];
        return <line key={move.action} x1={x * place.radius} y1={y * place.radius} x2={x * length} y2={y * length} />;
      })}
    </g>
  );
}

function Numbers(props: { node: TreeNode; place: Place; width: number; players: readonly string[] }) {
  const { node, place, players } = props;
  const isRight = place.x > props.width / 2;
  const where: JSX.CSSProperties = {
    top: `${place.y + place.radius + 8}px`,
    ...(isRight ? { right: `${props.width - place.x - 14}px` } : { left: `${place.x - 14}px` }),
  };
  const chooser = players[node.chooser] ?? "";
  return (
    <dl class="tree-numbers" style={where} aria-hidden="true">
      <div class="tree-numbers-title">
        {node.parent === null ? t("The position itself") : t("{player} plays {move}", { player: chooser, move: moveText(node.notation) })}
        {node.proven && <b> · {t("proven: {result}", { result: outcomeText(node.proven, players) })}</b>}
      </div>
      <div>
        <dt>N</dt>
        <dd>{node.visits}</dd>
      </div>
      <div>
        <dt>Q</dt>
        <dd>
          {node.q === null ? "–" : signed(node.q)} <small>{t("for {player}", { player: chooser })}</small>
        </dd>
      </div>
      {node.parent !== null && (
        <div>
          <dt>P</dt>
          <dd>{percent(node.prior)}</dd>
        </div>
      )}
      {node.value !== null && (
        <div>
          <dt>v</dt>
          <dd>{signed(node.value)}</dd>
        </div>
      )}
    </dl>
  );
}

function spoken(node: TreeNode, players: readonly string[]): string {
  const name = node.parent === null ? t("The position itself") : t("{player} plays {move}", { player: players[node.chooser] ?? "", move: moveText(node.notation) });
  const value = node.q === null ? "" : `, ${t("mean value {value}", { value: signed(node.q) })}`;
  return `${name}: ${t("{n} visits", { n: node.visits })}${value}${node.proven ? `, ${t("proven: {result}", { result: outcomeText(node.proven, players) })}` : ""}`;
}

function chooserSign(node: TreeNode): number {
  return node.chooser === 0 ? 1 : -1;
}

/** Blue where the first player is better off, orange where the second is: told apart by every kind of eye. */
export function colourOf(valueForFirst: number): string {
  const share = Math.round(100 * Math.min(1, Math.abs(valueForFirst)) ** 0.6);
  return `--q: color-mix(in oklab, var(${valueForFirst >= 0 ? "--q-first" : "--q-second"}) ${share}%, var(--q-even))`;
}

function curve(from: Place, to: Place): string {
  const middle = (from.y + to.y) / 2;
  return `M${from.x.toFixed(1)} ${from.y}C${from.x.toFixed(1)} ${middle} ${to.x.toFixed(1)} ${middle} ${to.x.toFixed(1)} ${to.y}`;
}

function neighbour(key: string, from: number, nodes: TreeNode[], places: Map<number, Place>): number | undefined {
  const node = nodes.find((one) => one.node === from);
  const place = places.get(from);
  if (!node || !place) return nodes[0]?.node;
  if (key === "ArrowUp") return node.parent ?? undefined;
  if (key === "ArrowDown") {
    const children = nodes.filter((one) => one.parent === from);
    return children.sort((a, b) => b.visits - a.visits)[0]?.node;
  }
  if (key !== "ArrowLeft" && key !== "ArrowRight") return undefined;
  const direction = key === "ArrowLeft" ? -1 : 1;
  const row = nodes
    .flatMap((one) => {
      const there = places.get(one.node);
      return there ? [{ number: one.node, place: there }] : [];
    })
    .filter((one) => one.place.depth === place.depth && direction * (one.place.x - place.x) > 0)
    .sort((a, b) => direction * (a.place.x - b.place.x));
  return row[0]?.number;
}

const TIGHTEST = 0.3; // how close nodes are drawn when all of them are
const WIDEST = 12_000; // pixels

/** Of a tree with all of its nodes the places are found little by little, so that no frame waits for them. */
function useLayout(nodes: TreeNode[], whole: Tree | null, width: number): Layout {
  const few = useMemo(() => (whole ? null : layOut(nodes, width)), [nodes, whole, width]);
  const [many, setMany] = useState<Layout | null>(null);
  useEffect(() => {
    if (!whole?.rest) return undefined;
    const all = [...whole.nodes, ...drawables(whole.rest)];
    return layOutSlowly(all, width, TIGHTEST, WIDEST, setMany);
  }, [whole, width]);
  const before = useRef<Layout>({ places: new Map(), width, height: 0 });
  return (before.current = few ?? many ?? before.current);
}

function drawables(rest: TreeRest): Drawable[] {
  return rest.node.map((node, i) => ({ node, parent: rest.parent[i] as number, action: rest.action[i] as number, visits: rest.visits[i] as number })).sort((a, b) => a.node - b.node);
}

function useWidth() {
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(600);
  useEffect(() => {
    if (box.current === null) return undefined;
    const observer = new ResizeObserver(
      ([entry]) => entry && setWidth(Math.max(200, Math.floor(entry.contentRect.width))),
    );
    observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  return [box, width] as const;
}
