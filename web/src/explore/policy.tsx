// From the tree to a move: the visits of the root's moves, the policy that follows from them at a temperature, and beside
// it the prior that the search began with. That policy is what the network learns.

import type { JSX } from "preact";
import { useId, useState } from "preact/hooks";
import { rich, t } from "../language";
import type { TraceChild, TreeNode } from "../protocol";
import { Term } from "./quantity";
import { moveText } from "../moves";
import { percent, type Quantity } from "./words";

interface Row {
  text: string;
  notation: string;
  visits: number;
  prior: number;
}

const MOST_ROWS = 12;
const COLDEST = 0.05; // below it the best move takes all

const PI: Quantity = {
  name: "π",
  title: t("policy of the search"),
  formula: "π(a) = N(a)^(1/τ) / Σ N(b)^(1/τ)",
  about: t("How likely each move is played. τ 1: as often as it was visited; τ near 0: the most visited move alone."),
};
const PRIOR: Quantity = {
  name: "P",
  title: t("prior"),
  formula: "P(s, a) = softmax(policy of the network)",
  about: t("What the network thought before the search. It learns to say π at once: next time the search begins with that."),
};

export function VisitsToMove(props: { nodes: TreeNode[]; siblings: TraceChild[] }): JSX.Element | null {
  const [tau, setTau] = useState(1);
  const id = useId();
  const rows = rowsOf(props.nodes, props.siblings);
  const total = rows.reduce((sum, { visits }) => sum + visits, 0);
  if (total === 0) return null;
  const policy = policyOf(rows.map(({ visits }) => visits), tau);
  const best = rows[policy.indexOf(Math.max(...policy))] as Row;
  const shown = rows.slice(0, MOST_ROWS);
  const numbers = { total, move: moveText(best.notation), visits: best.visits };
  return (
    <section class="card visits-to-move" aria-label={t("From visits to a move")} data-tour="policy">
      <h2 class="card-title">{t("From visits to a move")}</h2>
      <p class="soft small">
        {rich(
          tau < COLDEST
            ? t("After {total} visits below the root. The most visited move is played: *{move}*. If it is played, the next search keeps its part of the tree: {visits} of {total} visits are not done again.", numbers)
            : t("After {total} visits below the root. A move is drawn from π; most likely: *{move}*. If it is played, the next search keeps its part of the tree: {visits} of {total} visits are not done again.", numbers),
        )}
      </p>
      <label class="slider" for={id}>
        <span>
          {t("Temperature τ")} <b>{tau.toFixed(2)}</b>
        </span>
        <input id={id} type="range" min={0} max={2} step={0.05} value={tau} onInput={(event) => setTau(event.currentTarget.valueAsNumber)} />
      </label>
      <div class="scroll-x">
        <table class="numbers policy-table" aria-label={t("Visits, policy and prior of the moves")}>
          <thead>
            <tr>
              <th scope="col">{t("Move")}</th>
              <th scope="col">N</th>
              <th scope="col">
                <Term quantity={PI} />
              </th>
              <th scope="col">
                <Term quantity={PRIOR} align="end" />
              </th>
              <th scope="col" class="is-wide">
                <span class="visually-hidden">{t("Bars of π and P")}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {shown.map((row, i) => (
              <tr class={row === best ? "is-chosen" : ""} data-move={row.text} data-n={row.visits} data-pi={policy[i]} data-p={row.prior}>
                <th scope="row">{moveText(row.notation)}</th>
                <td>{row.visits}</td>
                <td>{percent(policy[i] ?? 0)}</td>
                <td>{percent(row.prior)}</td>
                <td class="is-wide">
                  <span class="two-bars" aria-hidden="true">
                    <i style={{ width: `${100 * row.prior}%` }} />
                    <i style={{ width: `${100 * (policy[i] ?? 0)}%` }} />
                  </span>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
        {rows.length > shown.length && <p class="soft small">{t("and {count} more", { count: rows.length - shown.length })}</p>}
      </div>
      <p class="soft small">{t("Grey: P, before the search. Blue: π, what the network will learn from it.")}</p>
    </section>
  );
}

/** All moves of the root: those visited from the tree, the others from what the last selection compared. */
function rowsOf(nodes: TreeNode[], siblings: TraceChild[]): Row[] {
  const root = nodes[0];
  const tried = nodes.filter((node) => root && node.parent === root.node);
  const texts = new Set(tried.map(({ text }) => text));
  const untried = siblings.filter(({ text }) => !texts.has(text)).map(({ text, notation, prior }) => ({ text, notation, visits: 0, prior }));
  return [...tried.map(({ text, notation, visits, prior }) => ({ text, notation, visits, prior })), ...untried].sort(
    (a, b) => b.visits - a.visits || b.prior - a.prior,
  );
}

/** By logarithms, so that large counts at low temperatures stay numbers. */
export function policyOf(visits: number[], tau: number): number[] {
  const most = Math.max(...visits);
  if (tau < COLDEST) return visits.map((count, i) => Number(i === visits.indexOf(most) && count > 0));
  const weights = visits.map((count) => (count > 0 ? Math.exp(Math.log(count / most) / tau) : 0));
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.map((weight) => weight / sum);
}
