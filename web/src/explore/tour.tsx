// Ten steps through one simulation, for someone who has never seen the algorithm. Each step brings the search to a
// certain point, lights up the part of the page that it is about, and says what happens there.

import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { t } from "../language";

export interface TourStep {
  title: string;
  text: string;
  simulations: number;
  stage: number; // of the last simulation, 0 to 3
  target: string; // the value of data-tour of what is lit up
}

export const TOUR_PLACE = "#/explore/tic_tac_toe?moves=b2,b3";

export const TOUR: TourStep[] = [
  {
    title: t("One position, one question"),
    text: t("X has the middle, O an edge, and X is to move. Which move is best? The search finds out by looking ahead: not at everything, but at what seems worth it."),
    simulations: 0,
    stage: 3,
    target: "position",
  },
  {
    title: t("The tree begins with the position itself"),
    text: t("The first simulation looks only at the position. It becomes the root of a tree. Every later simulation adds one position to it."),
    simulations: 1,
    stage: 3,
    target: "tree",
  },
  {
    title: t("The network says what it thinks"),
    text: t("Two things: v, who will win (from −1 to +1), and P, how good each move looks at first sight. It may be wrong. The search is there to check."),
    simulations: 1,
    stage: 2,
    target: "stage-2",
  },
  {
    title: t("Select: which move to look at next?"),
    text: t("Another simulation, the third. It starts at the root and goes down: every move has a score, Q + U, and the highest is taken, first for X, then for O. Q is what was found about a move so far; U is large for moves that look good and were tried seldom."),
    simulations: 3,
    stage: 0,
    target: "stage-0",
  },
  {
    title: t("Why two parts?"),
    text: t("Only Q: the search would never try anything new. Only U: it would not use what it found. A move nobody tried has no Q of its own; it borrows one from its parent. The line below the table works out the winner’s score."),
    simulations: 3,
    stage: 0,
    target: "stage-0",
  },
  {
    title: t("Expand: a new position joins the tree"),
    text: t("The moves lead to a position that was never seen. It becomes a node, with an edge for each of its own moves. Nobody has tried those yet."),
    simulations: 3,
    stage: 1,
    target: "stage-1",
  },
  {
    title: t("Evaluate: ask the network again"),
    text: t("The network looks at the new position, once: who wins from here, and which answers look good? No game is played to its end."),
    simulations: 3,
    stage: 2,
    target: "stage-2",
  },
  {
    title: t("Back up: carry the answer to the root"),
    text: t("Every node on the path counts one more visit, N, and adds the value to its sum, W. What is good for X is bad for O: in the column “adds” the same value has the opposite sign where the other player chose. Q is W / N."),
    simulations: 3,
    stage: 3,
    target: "stage-3",
  },
  {
    title: t("The same four stages, over and over"),
    text: t("After 25 simulations the tree is deep where it matters: larger nodes were visited more often. What turns out well is looked at again, what turns out badly is left alone, because its Q sinks."),
    simulations: 25,
    stage: 3,
    target: "tree",
  },
  {
    title: t("From visits to a move"),
    text: t("In the end the visits decide: the move visited most is played. In self-play the visits are also the lesson: the network learns to say π at once, and the next search begins where this one ended. That is how it learns from nothing but the rules."),
    simulations: 25,
    stage: 3,
    target: "policy",
  },
];

export function Tour(props: { step: number; onStep: (step: number | null) => void }): JSX.Element | null {
  const { step } = props;
  const shown = TOUR[step];
  const next = useRef<HTMLButtonElement>(null);
  useEffect(() => next.current?.focus({ preventScroll: true }), [step]);
  useLitUp(shown?.target ?? null, step);
  if (!shown) return null;
  return (
    <aside class="tour card" aria-label={t("Guided tour")} data-tour-step={step + 1}>
      <p class="soft small number">
        {t("Step {number} of {all}", { number: step + 1, all: TOUR.length })}
      </p>
      <h2 class="card-title">{shown.title}</h2>
      <p aria-live="polite">{shown.text}</p>
      <div class="buttons">
        <button type="button" disabled={step === 0} onClick={() => props.onStep(step - 1)}>
          {t("Back")}
        </button>
        <button type="button" class="primary" ref={next} onClick={() => props.onStep(step + 1 < TOUR.length ? step + 1 : null)}>
          {step + 1 < TOUR.length ? t("Next") : t("Go on by yourself")}
        </button>
        <button type="button" class="quiet" onClick={() => props.onStep(null)}>
          {t("End the tour")}
        </button>
      </div>
    </aside>
  );
}

/** What a step is about is lit up as soon as it is there, and brought into sight. */
function useLitUp(target: string | null, step: number): void {
  useEffect(() => {
    if (target === null) return undefined;
    let lit: Element | null = null;
    const look = (): void => {
      const found = document.querySelector(`[data-tour="${target}"]`);
      if (found === lit) return;
      lit?.removeAttribute("data-toured");
      lit = found;
      if (!lit) return;
      lit.setAttribute("data-toured", ""); // not a class: those are drawn anew
      const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
      lit.scrollIntoView({ block: "center", behavior: still ? "instant" : "smooth" });
    };
    const watching = new MutationObserver(look);
    watching.observe(document.body, { childList: true, subtree: true });
    look();
    return () => {
      watching.disconnect();
      lit?.removeAttribute("data-toured");
    };
  }, [target, step]);
}
