// The numbers of one simulation: the scores of all siblings, what the evaluator said, what the way back changed.

import type { JSX } from "preact";
import { t } from "../language";
import type { Trace, TraceChild, TraceStep, TreeNode } from "../protocol";
import { Term } from "./quantity";
import { moveText } from "../moves";
import { bonusText, percent, precedes, quantities, scoreNote, scoreText, type Selection, signed } from "./words";

const MOST_ROWS = 14; // more are told in a line
const MOST_PRIORS = 9;

/** The heads of the columns that every table of moves has. */
function MoveColumns({ terms }: { terms: ReturnType<typeof quantities> }) {
  return (
    <>
      <th scope="col">{t("Move")}</th>
      <th scope="col">
        <Term quantity={terms.N} align="start" />
      </th>
      <th scope="col">
        <Term quantity={terms.Q} />
      </th>
      <th scope="col">
        <Term quantity={terms.P} />
      </th>
      <th scope="col">
        <Term quantity={terms.U} align="end" />
      </th>
    </>
  );
}

/** Every sibling with its terms; the highest score is the one that is chosen. */
export function Scores({ step, selection }: { step: TraceStep; selection: Selection }) {
  const terms = quantities(selection);
  const rows = shownRows(step);
  const compared = step.children.filter((child) => !scoreNote(child));
  const low = Math.min(0, ...compared.map((child) => child.q));
  const high = Math.max(low + 1e-9, ...compared.map((child) => child.score ?? 0));
  return (
    <div class="scroll-x">
      <table class="numbers scores" aria-label={t("Scores of the moves")}>
        <thead>
          <tr>
            <MoveColumns terms={terms} />
            <th scope="col" class="is-wide">
              <Term quantity={terms.score} align="end" />
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((child) => (
            <ScoreRow key={child.action} child={child} isChosen={child.action === step.chosen} low={low} high={high} />
          ))}
        </tbody>
      </table>
      {rows.length < step.children.length && (
        <p class="soft small">{t("and {count} more, none of them higher", { count: step.children.length - rows.length })}</p>
      )}
    </div>
  );
}

/** The score of the chosen move, worked out. */
export function Worked({
  step,
  selection,
  c,
}: {
  step: TraceStep;
  selection: Selection;
  c: number;
}): JSX.Element | null {
  const chosen = step.children.find((child) => child.action === step.chosen);
  if (!chosen) return null;
  const note = scoreNote(chosen);
  if (note) return <p class="worked soft">{note}</p>;
  const total = step.children.reduce((sum, child) => sum + child.visits, 0);
  const [q, constant, n] = [signed(chosen.q), Number(c.toFixed(2)), chosen.visits];
  const bonus =
    selection === "uct"
      ? `${constant} · √(ln ${total} / ${n})`
      : `${constant} · ${chosen.prior.toFixed(3)} · √${total} / (1 + ${n})`;
  return (
    <p class="worked">
      <span class="soft">{moveText(chosen.notation)}: </span>
      <code>
        {q} + {bonus} = <b>{scoreText(chosen)}</b>
      </code>
    </p>
  );
}

const SAME = 1e-6; // scores that differ by less are equal to the search, which counts in single precision

/** What the formula leaves open: equal scores, and the Q of moves that nobody tried. */
export function Notes({ step, selection }: { step: TraceStep; selection: Selection }): JSX.Element | null {
  const chosen = step.children.find((child) => child.action === step.chosen);
  if (!chosen || scoreNote(chosen) || selection === "uct") return null;
  const equal = step.children.filter((child) => child !== chosen && !scoreNote(child) && Math.abs((child.score ?? 0) - (chosen.score ?? 0)) < SAME);
  const tried = step.children.filter((child) => child.visits > 0);
  const untried = step.children.find((child) => child.visits === 0);
  const share = tried.reduce((sum, child) => sum + child.prior, 0);
  const total = tried.reduce((sum, child) => sum + child.visits, 0);
  return (
    <>
      {equal.length > 0 && (
        <p class="worked soft" data-note="tie">
          {t("{moves} {n:has|have} the same score. Of equals the one with the highest P is taken, and of equal P the first.", { moves: equal.map(({ notation }) => moveText(notation)).join(", "), n: equal.length })}
        </p>
      )}
      {untried && (
        <p class="worked soft" data-note="untried">
          {total === 0
            ? t("A move that nobody tried has no Q of its own. It gets the value of this position:")
            : t("A move that nobody tried has no Q of its own. It gets its parent’s Q, less the more of P was tried already:")}{" "}
          <code>
            {t("Q = Q(parent) − r · √ΣP(tried)")}{total > 0 && ` = ${t("Q(parent)")} − r · √${share.toFixed(2)}`} = {signed(untried.q)}
          </code>
        </p>
      )}
    </>
  );
}

function ScoreRow(props: { child: TraceChild; isChosen: boolean; low: number; high: number }) {
  const { child, isChosen, low, high } = props;
  const note = scoreNote(child);
  const width = (value: number): string => `${Math.max(0, (100 * value) / (high - low)).toFixed(2)}%`;
  const [bonus, score] = [child.bonus ?? Infinity, child.score ?? Infinity];
  const raw = { "data-q": child.q, "data-u": bonus, "data-p": child.prior, "data-score": score };
  return (
    <tr class={isChosen ? "is-chosen" : ""} data-action={child.action} data-n={child.visits} {...raw}>
      <th scope="row">
        {moveText(child.notation)}
        {isChosen && <span class="visually-hidden"> {t("(chosen)")}</span>}
      </th>
      <td>{child.visits}</td>
      <td class={child.visits === 0 ? "soft" : ""}>{signed(child.q)}</td>
      <td>{percent(child.prior)}</td>
      <td>{bonusText(child.bonus)}</td>
      <td class="is-wide" title={note}>
        <span class="score-bar" aria-hidden="true">
          {!note && <i class="score-q" style={{ width: width(child.q - low) }} />}
          {!note && <i class="score-u" style={{ width: width(child.bonus ?? 0) }} />}
        </span>
        <span class="score-text">{scoreText(child)}</span>
        {isChosen && (
          <span class="score-mark" title={t("the highest score")}>
            {t("max")}
          </span>
        )}
      </td>
    </tr>
  );
}

/** Few moves stay in their order, so that the eye can follow them; of many, the highest scores. */
function shownRows(step: TraceStep): TraceChild[] {
  const inOrder = (a: TraceChild, b: TraceChild): number => a.action - b.action;
  if (step.children.length <= MOST_ROWS) return [...step.children].sort(inOrder);
  const isChosen = (child: TraceChild): number => Number(child.action === step.chosen);
  const byScore = (a: TraceChild, b: TraceChild): number =>
    precedes(b, a) || isChosen(b) - isChosen(a) || b.prior - a.prior || inOrder(a, b);
  return [...step.children].sort(byScore).slice(0, MOST_ROWS);
}

/** Value and priors of the leaf. */
export function Evaluation({
  trace,
  selection,
  players,
}: {
  trace: Trace;
  selection: Selection;
  players: readonly string[];
}) {
  const terms = quantities(selection);
  const best = [...trace.priors].sort((a, b) => b.prior - a.prior).slice(0, MOST_PRIORS);
  const highest = best[0]?.prior ?? 1;
  return (
    <div class="evaluation" data-value={trace.value}>
      <div class="value-scale">
        <span>{players[1]}</span>
        <span class="value-track" role="img" aria-label={t("value {value} for {player}", { value: signed(trace.value), player: players[0] ?? "" })}>
          <i style={{ left: `${50 + 50 * trace.value}%` }} />
        </span>
        <span>{players[0]}</span>
      </div>
      <p>
        <Term quantity={terms.value} align="start" /> = <b>{signed(trace.value)}</b>{" "}
        <span class="soft">{t("for {player}", { player: players[0] ?? "" })}</span>
      </p>
      {best.length > 0 && (
        <ul class="priors" aria-label={t("Priors of the leaf")}>
          {best.map((move) => (
            <li key={move.action} data-action={move.action} data-prior={move.prior}>
              <span>{moveText(move.notation)}</span>
              <i style={{ width: `${(100 * move.prior) / highest}%` }} aria-hidden="true" />
              <span>{percent(move.prior)}</span>
            </li>
          ))}
        </ul>
      )}
      {trace.priors.length > best.length && <p class="soft">{t("and {count} more", { count: trace.priors.length - best.length })}</p>}
    </div>
  );
}

/** Before and after, from the root down. Values of a trace are for the first player; Q is shown for the chooser. */
export function Changes(props: { trace: Trace; nodes: TreeNode[]; selection: Selection; players: readonly string[] }) {
  const { trace, players } = props;
  const terms = quantities(props.selection);
  return (
    <div class="scroll-x">
      <table class="numbers changes" aria-label={t("What changed on the way back")}>
        <thead>
          <tr>
            <th scope="col">{t("Node")}</th>
            <th scope="col" title={t("The value, with the sign of the player who chose the move")}>
              {t("adds")}
            </th>
            <th scope="col">
              <Term quantity={terms.N} align="start" />
            </th>
            <th scope="col" class="is-sum">
              <Term quantity={terms.W} />
            </th>
            <th scope="col">
              <Term quantity={terms.Q} align="end" />
            </th>
          </tr>
        </thead>
        <tbody>
          {trace.changes.map((change, depth) => {
            const node = props.nodes.find((one) => one.node === change.node);
            const chooser = node?.chooser ?? 0;
            const sign = chooser === 0 ? 1 : -1;
            const [before, after] = change.visits;
            const sums = change.value_sum.map((sum) => sign * sum) as [number, number];
            const raw = { "data-n": change.visits.join(" "), "data-w": change.value_sum.join(" ") };
            return (
              <tr key={change.node} data-node={change.node} {...raw}>
                <th scope="row">
                  {depth === 0 ? t("root") : moveText(node?.notation ?? "")}
                  <small class="soft"> {players[chooser]}</small>
                </th>
                <td data-adds={sums[1] - sums[0]}>{signed(sums[1] - sums[0], 2)}</td>
                <td>
                  <Change before={String(before)} after={String(after)} />
                </td>
                <td class="is-sum">
                  <Change before={signed(sums[0], 2)} after={signed(sums[1], 2)} />
                </td>
                <td>
                  <Change before={before ? signed(sums[0] / before) : "–"} after={signed(sums[1] / after)} />
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

function Change({ before, after }: { before: string; after: string }) {
  return (
    <span class="change">
      <span class="soft">{before}</span> <span aria-label={t("becomes")}>→</span> <b>{after}</b>
    </span>
  );
}

/** The children of any node, as they are now; U as the next selection would use it. */
export function Children(props: { parent: TreeNode; nodes: TreeNode[]; selection: Selection; c: number }) {
  const { parent, selection, c } = props;
  const terms = quantities(selection);
  const children = props.nodes.filter((node) => node.parent === parent.node).sort((a, b) => b.visits - a.visits);
  if (children.length === 0) return <p class="soft">{t("No move was tried from here yet.")}</p>;
  const total = Math.max(0, parent.visits - 1);
  return (
    <div class="scroll-x">
      <table class="numbers" aria-label={t("Moves tried from this node")}>
        <thead>
          <tr>
            <MoveColumns terms={terms} />
          </tr>
        </thead>
        <tbody>
          {children.slice(0, MOST_ROWS).map((child) => (
            <tr key={child.node}>
              <th scope="row">{moveText(child.notation)}</th>
              <td>{child.visits}</td>
              <td>{child.q === null ? "–" : signed(child.q)}</td>
              <td>{percent(child.prior)}</td>
              <td>{bonusText(bonus(selection, c, child, total))}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function bonus(selection: Selection, c: number, child: TreeNode, total: number): number {
  if (selection === "uct") return c * Math.sqrt(Math.log(Math.max(1, total)) / Math.max(1, child.visits));
  return (c * child.prior * Math.sqrt(total)) / (1 + child.visits);
}
