// What the explorer says: numbers as text, the quantities of the search with their formulas, and one sentence a stage.

import type { Trace, TreeNode } from "../protocol";

export type Selection = "puct" | "uct";

export const STAGES = ["Select", "Expand", "Evaluate", "Back up"] as const;
export const LAST_STAGE = STAGES.length - 1;

/** Scores beyond this are not sums of Q and U: the search uses them to put a move first or last. */
const BEYOND = 1e5;

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

export function scoreText(score: number): string {
  if (score > BEYOND) return "first";
  if (score < -BEYOND) return "settled";
  return signed(score);
}

export function bonusText(bonus: number): string {
  return bonus > BEYOND ? "∞" : unsigned(bonus);
}

/** Why a score is no sum of Q and U, if it is none. */
export function scoreNote(score: number): string | undefined {
  if (score > BEYOND) return "Never tried: the classic search tries every move once before it compares them.";
  if (score < -BEYOND) return "Its result is known for certain, so no more simulations are spent on it.";
  return undefined;
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
      title: "visits",
      formula: "N(s, a)",
      about: "How many simulations went through this move. The move played in the end is the most visited one.",
    },
    Q: {
      name: "Q",
      title: "mean value",
      formula: "Q(s, a) = W(s, a) / N(s, a)",
      about:
        "The average of everything found below this move, from −1 (lost) to +1 (won) for the player who chooses it. " +
        (uct ? "" : "A move never tried borrows the value of its parent, a little reduced."),
    },
    P: {
      name: "P",
      title: "prior",
      formula: "P(s, a) = softmax(policy of the network)",
      about: uct
        ? "The classic search has no opinion beforehand: all moves are alike, and P is not used."
        : "What the network thinks of this move at first sight, before any search. All of them add up to 1.",
    },
    U: uct
      ? {
          name: "U",
          title: "exploration bonus",
          formula: "U(s, a) = c · √(ln ΣN / N(s, a))",
          about:
            "Large for moves that were tried seldom. It shrinks with every visit, so that each move gets its chance.",
        }
      : {
          name: "U",
          title: "exploration bonus",
          formula: "U(s, a) = c · P(s, a) · √ΣN / (1 + N(s, a))",
          about: "Large for moves that the network likes and that were tried seldom. It shrinks with every visit.",
        },
    score: {
      name: "Q + U",
      title: "score",
      formula: uct ? "Q + c · √(ln ΣN / N)" : "Q + c · P · √ΣN / (1 + N)",
      about: "What is known (Q) plus what is worth finding out (U). The move with the highest score is chosen.",
    },
    value: {
      name: "v",
      title: "value",
      formula: uct ? "v = result of one random game" : "v = P(win) − P(loss)",
      about: uct
        ? "The game is played to its end by random moves; what comes out counts."
        : "What the network expects from this position, from −1 to +1.",
    },
    W: {
      name: "W",
      title: "sum of values",
      formula: "W ← W + v,  N ← N + 1,  Q = W / N",
      about: "Every node on the path adds the value, seen from the player who chose the move that leads to it.",
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
      "Go down the tree. At each position take the move with the highest score, Q + U.",
      "At a position never seen before, add it to the tree.",
      selection === "uct"
        ? "Play a game from there by random moves: who wins?"
        : "Ask the network: who is winning, and which moves look good?",
      "Carry the answer back up: every node on the path counts one more visit.",
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
  if (trace.path.length === 0) return "Nothing to choose yet: the first simulation looks at the position itself.";
  const told = trace.path.slice(0, 2).map((step, depth) => {
    const chosen = step.children.find((child) => child.action === step.chosen)!;
    const why = scoreNote(chosen.score) ? "" : ` (score ${signed(chosen.score)})`;
    const player = players[step.to_move];
    return depth === 0 ? `${player} takes ${chosen.text}${why}` : `${player} ${step.to_move === trace.path[0]?.to_move ? "goes on with" : "answers"} ${chosen.text}${why}`;
  });
  const more = trace.path.length - told.length;
  const rest = more > 0 ? `, and so on, ${trace.path.length} moves deep` : "";
  const why =
    trace.path.length > 1 ? "Each has the highest score among its siblings." : "No other move has a higher score.";
  return `${capital(told.join(", "))}${rest}. ${why}`;
}

function expandSentence(trace: Trace): string {
  const after = lineOf(trace);
  if (trace.kind === "proven") {
    return `${after ? `After ${after} the` : "The"} result is known for certain, so there is nothing to add.`;
  }
  const moves = trace.priors.length;
  const ways = moves > 0 ? ` with ${moves} ${moves === 1 ? "move" : "moves"} to try later` : "";
  if (!after) return `The position itself becomes the root of the tree${ways}.`;
  return `The position after ${after} was never seen before. It becomes a node${ways}.`;
}

function evaluateSentence(trace: Trace, players: readonly string[]): string {
  const value = forPlayer(trace.value, players);
  if (trace.kind === "proven") return `No guess is needed, the rules say: ${resultOf(trace.value, players)}.`;
  if (trace.kind === "rollout") return `A game is played from here by random moves: ${resultOf(trace.value, players)}.`;
  const best = [...trace.priors].sort((a, b) => b.prior - a.prior)[0];
  const likes = best ? ` It likes ${best.text} best (${percent(best.prior)}).` : "";
  return `The network expects ${value}.${likes}`;
}

function backUpSentence(trace: Trace, players: readonly string[]): string {
  const nodes = trace.changes.length;
  const where = nodes === 1 ? "The root" : `The ${nodes} nodes of the path`;
  const isPlain = trace.changes.every(
    ({ value_sum: [before, after] }) => Math.abs(after - before - trace.value) < 1e-5,
  );
  const proof = isPlain ? "" : " Where a result is certain by now, it takes the place of the estimates.";
  return `${where} count${nodes === 1 ? "s" : ""} one more visit and the value ${forPlayer(trace.value, players)}.${proof}`;
}

/** The moves from the root to the leaf: "b2 a1". */
export function lineOf(trace: Trace): string {
  return trace.path.map((step) => step.children.find((child) => child.action === step.chosen)?.text ?? "?").join(" ");
}

/** Values of a trace are for the first player. */
function forPlayer(value: number, players: readonly string[]): string {
  if (Math.abs(value) < 0.0005) return "0 (even)";
  return `${signed(Math.abs(value))} for ${players[value > 0 ? 0 : 1]}`;
}

function resultOf(value: number, players: readonly string[]): string {
  if (Math.abs(value) < 0.0005) return "a draw";
  return `${players[value > 0 ? 0 : 1]} wins`;
}

export function proofText(node: TreeNode): string | undefined {
  return node.proven?.text;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
