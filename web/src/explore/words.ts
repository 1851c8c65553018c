// What the explorer says: numbers as text, the quantities of the search with their formulas, and one sentence a stage.

import { t } from "../language";
import { moveText } from "../moves";
import type { Standing, Trace, TraceChild } from "../protocol";

export type Selection = "puct" | "uct";

export const STAGES = [t("Select"), t("Expand"), t("Evaluate"), t("Back up")] as const;
export const LAST_STAGE = STAGES.length - 1;

export function signed(value: number, digits = 3): string {
  const text = Math.abs(value).toFixed(digits);
  if (Number(text) === 0) return text;
  return (value < 0 ? "−" : "+") + text;
}

export function unsigned(value: number, digits = 3): string {
  return value.toFixed(digits);
}

export function percent(share: number): string {
  return `${(100 * share).toFixed(share > 0 && share < 0.1 ? 1 : 0)} %`;
}

const STANDINGS: Record<Standing, { text: string; note: string; rank: number } | undefined> = {
  compared: undefined,
  winning: { text: t("wins"), note: t("It wins at once, so nothing else is compared."), rank: 2 },
  forced: { text: t("first"), note: t("Forced: the root gives every move some visits before it compares them."), rank: 1 },
  untried: {
    text: t("first"),
    note: t("Never tried: the classic search tries every move once before it compares them."),
    rank: 1,
  },
  waiting: { text: t("waits"), note: t("In this round of sequential halving others have their turn."), rank: -1 },
  settled: {
    text: t("settled"),
    note: t("Its result is known for certain, so no more simulations are spent on it."),
    rank: -2,
  },
};

export function scoreText(child: TraceChild): string {
  return STANDINGS[child.standing]?.text ?? signed(child.score ?? 0);
}

export function bonusText(bonus: number | null): string {
  return bonus === null ? "∞" : unsigned(bonus);
}

/** Why it is not the score that decides, if it is not. */
export function scoreNote(child: TraceChild): string | undefined {
  return STANDINGS[child.standing]?.note;
}

/** For sorting: above 0 if `a` is taken before `b`. */
export function precedes(a: TraceChild, b: TraceChild): number {
  const rank = (child: TraceChild): number => STANDINGS[child.standing]?.rank ?? 0;
  return rank(a) - rank(b) || (a.score ?? 0) - (b.score ?? 0);
}

export interface Quantity {
  name: string;
  title: string;
  formula: string;
  about: string;
}

export function quantities(selection: Selection): Record<"N" | "Q" | "P" | "U" | "score" | "value" | "W", Quantity> {
  const uct = selection === "uct";
  return {
    N: {
      name: "N",
      title: t("visits"),
      formula: "N(s, a)",
      about: t("How many simulations went through this move. The move played in the end is the most visited one."),
    },
    Q: {
      name: "Q",
      title: t("mean value"),
      formula: "Q(s, a) = W(s, a) / N(s, a)",
      about:
        t("The average of everything found below this move, from −1 (lost) to +1 (won) for the player who chooses it.") +
        (uct ? "" : ` ${t("A move never tried borrows the value of its parent, a little reduced.")}`),
    },
    P: {
      name: "P",
      title: t("prior"),
      formula: t("P(s, a) = softmax(policy of the network)"),
      about: uct
        ? t("The classic search has no opinion beforehand: all moves are alike, and P is not used.")
        : t("What the network thinks of this move at first sight, before any search. All of them add up to 1."),
    },
    U: uct
      ? {
          name: "U",
          title: t("exploration bonus"),
          formula: "U(s, a) = c · √(ln ΣN / N(s, a))",
          about:
            t("Large for moves that were tried seldom. It shrinks with every visit, so that each move gets its chance."),
        }
      : {
          name: "U",
          title: t("exploration bonus"),
          formula: "U(s, a) = c · P(s, a) · √ΣN / (1 + N(s, a))",
          about: t("Large for moves that the network likes and that were tried seldom. It shrinks with every visit."),
        },
    score: {
      name: "Q + U",
      title: t("score"),
      formula: uct ? "Q + c · √(ln ΣN / N)" : "Q + c · P · √ΣN / (1 + N)",
      about: t("What is known (Q) plus what is worth finding out (U). The move with the highest score is chosen."),
    },
    value: {
      name: "v",
      title: t("value"),
      formula: uct ? "v = result of one random game" : "v = P(win) − P(loss)",
      about: uct
        ? t("The game is played to its end by random moves; what comes out counts.")
        : t("What the network expects from this position, from −1 to +1."),
    },
    W: {
      name: "W",
      title: t("sum of values"),
      formula: "W ← W + v,  N ← N + 1,  Q = W / N",
      about: t("Every node on the path adds the value, seen from the player who chose the move that leads to it."),
    },
  };
}

/** One sentence for each stage, about the simulation that was just done. */
export function sentences(
  trace: Trace | null,
  selection: Selection,
  players: readonly string[],
): string[] {
  if (!trace) {
    return [
      t("Go down the tree. At each position take the move with the highest score, Q + U."),
      t("At a position never seen before, add it to the tree."),
      selection === "uct"
        ? t("Play a game from there by random moves: who wins?")
        : t("Ask the network: who is winning, and which moves look good?"),
      t("Carry the answer back up: every node on the path counts one more visit."),
    ];
  }
  return [
    selectSentence(trace, players),
    expandSentence(trace),
    evaluateSentence(trace, players),
    backUpSentence(trace, players),
  ];
}

function selectSentence(trace: Trace, players: readonly string[]): string {
  if (trace.path.length === 0) return t("Nothing to choose yet: the first simulation looks at the position itself.");
  const told = trace.path.slice(0, 2).map((step, depth) => {
    const chosen = step.children.find((child) => child.action === step.chosen)!;
    const why = scoreNote(chosen) ? "" : ` ${t("(score {score})", { score: scoreText(chosen) })}`;
    const said = { player: players[step.to_move] ?? "", move: moveText(chosen.notation) };
    if (depth === 0) return t("{player} takes {move}", said) + why;
    return (step.to_move === trace.path[0]?.to_move ? t("{player} goes on with {move}", said) : t("{player} answers {move}", said)) + why;
  });
  const more = trace.path.length - told.length;
  const rest = more > 0 ? t(", and so on, {n} moves deep", { n: trace.path.length }) : "";
  const why = trace.path.length > 1 ? t("Each has the highest score among its siblings.") : t("No other move has a higher score.");
  return `${capital(told.join(", "))}${rest}. ${why}`;
}

function expandSentence(trace: Trace): string {
  const moves = lineOf(trace);
  if (trace.kind === "proven") {
    return moves
      ? t("After {moves} the result is known for certain, so there is nothing to add.", { moves })
      : t("The result is known for certain, so there is nothing to add.");
  }
  const n = trace.priors.length;
  if (!moves) {
    return n > 0 ? t("The position itself becomes the root of the tree with {n} {n:move|moves} to try later.", { n }) : t("The position itself becomes the root of the tree.");
  }
  return n > 0
    ? t("The position after {moves} was never seen before. It becomes a node with {n} {n:move|moves} to try later.", { moves, n })
    : t("The position after {moves} was never seen before. It becomes a node.", { moves });
}

function evaluateSentence(trace: Trace, players: readonly string[]): string {
  const result = resultOf(trace.value, players);
  if (trace.kind === "proven") return t("No guess is needed, the rules say: {result}.", { result });
  if (trace.kind === "exact") return t("A short exact search by the rules finds the result: {result}.", { result });
  if (trace.kind === "rollout") return t("A game is played from here by random moves: {result}.", { result });
  const best = [...trace.priors].sort((a, b) => b.prior - a.prior)[0];
  const likes = best ? ` ${t("It likes {move} best ({share}).", { move: moveText(best.notation), share: percent(best.prior) })}` : "";
  return t("The network expects {value}.", { value: forPlayer(trace.value, players) }) + likes;
}

function backUpSentence(trace: Trace, players: readonly string[]): string {
  const n = trace.changes.length;
  const value = forPlayer(trace.value, players);
  const isPlain = trace.changes.every(
    ({ value_sum: [before, after] }) => Math.abs(after - before - trace.value) < 1e-5,
  );
  const proof = isPlain ? "" : ` ${t("Where a result is certain by now, it takes the place of the estimates.")}`;
  const said = n === 1 ? t("The root counts one more visit and the value {value}.", { value }) : t("The {n} nodes of the path count one more visit and the value {value}.", { n, value });
  return said + proof;
}

/** The moves from the root to the leaf: "b2 a1". */
export function lineOf(trace: Trace): string {
  return trace.path.map((step) => moveText(step.children.find((child) => child.action === step.chosen)?.notation ?? "?")).join(" ");
}

/** Values of a trace are for the first player. */
function forPlayer(value: number, players: readonly string[]): string {
  if (Math.abs(value) < 0.0005) return t("0 (even)");
  return t("{value} for {player}", { value: signed(Math.abs(value)), player: players[value > 0 ? 0 : 1] ?? "" });
}

function resultOf(value: number, players: readonly string[]): string {
  if (Math.abs(value) < 0.0005) return t("a draw");
  return t("{player} wins", { player: players[value > 0 ? 0 : 1] ?? "" });
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
