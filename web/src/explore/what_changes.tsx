// What a setting does: the visits of every move beside those that the former setting gave.

import type { JSX } from "preact";
import { rich, t } from "../language";
import { moveText } from "../moves";
import type { Tree } from "../protocol";

export interface Count {
  text: string;
  notation: string;
  visits: number;
}

export interface Former {
  label: string; // "c 1.25, noise 0"
  simulations: number;
  counts: Count[];
}

export function rootCounts(tree: Tree): Count[] {
  const root = tree.nodes[0];
  return tree.nodes.filter((node) => root && node.parent === root.node).map(({ text, notation, visits }) => ({ text, notation, visits }));
}

const MOST_MOVES = 10;

export function WhatChanges(props: {
  former: Former;
  label: string;
  counts: Count[];
  simulations: number;
}): JSX.Element {
  const { former } = props;
  const now = new Map(props.counts.map((count) => [count.text, count.visits]));
  const then = new Map(former.counts.map((count) => [count.text, count.visits]));
  const names = new Map([...former.counts, ...props.counts].map((count) => [count.text, moveText(count.notation)]));
  const moves = [...new Set([...then.keys(), ...now.keys()])]
    .map((text) => ({ text, before: then.get(text) ?? 0, after: now.get(text) ?? 0 }))
    .sort((a, b) => b.before + b.after - a.before - a.after)
    .slice(0, MOST_MOVES);
  const most = Math.max(1, ...moves.flatMap((move) => [move.before, move.after]));
  return (
    <section class="card what-changes" aria-label={t("What changed")}>
      <h2 class="card-title">{t("What that changed")}</h2>
      <p class="soft">
        {rich("Visits of each move after {n} simulations from the same seed. Above *{before}*, below *{now}*", { n: former.simulations, before: former.label, now: props.label })}
        {props.simulations !== former.simulations && t(", now at {n}", { n: props.simulations })}.
      </p>
      <ul>
        {moves.map((move) => (
          <li key={move.text} data-move={move.text} data-before={move.before} data-after={move.after}>
            <span>{names.get(move.text)}</span>
            <span class="two-bars" aria-hidden="true">
              <i style={{ width: `${(100 * move.before) / most}%` }} />
              <i style={{ width: `${(100 * move.after) / most}%` }} />
            </span>
            <span class="two-counts">
              {move.before} <span aria-label={t("becomes")}>→</span> <b>{move.after}</b>
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
