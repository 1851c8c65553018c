// The way through a game: four buttons, and the arrow keys, Home and End from anywhere on the page.

import type { ComponentChildren, JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { t } from "./language";

interface Props {
  at: number; // moves made
  count: number; // moves of the whole game
  onStep: (at: number) => void;
  children?: ComponentChildren; // more buttons
}

export function Steps({ at, count, onStep, children }: Props): JSX.Element {
  useStepKeys({ at, count, onStep });
  const step = (label: string, to: number, path: string): JSX.Element => (
    <button type="button" class="quiet" aria-label={label} title={label} disabled={to === at} onClick={() => onStep(to)}>
      <svg viewBox="0 0 24 24" aria-hidden="true">
        <path d={path} />
      </svg>
    </button>
  );
  return (
    <div class="buttons even steps" role="group" aria-label={t("Step through the moves")}>
      {step(t("To the start"), 0, "M6 5v14M19 5l-9 7 9 7")}
      {step(t("Back"), Math.max(0, at - 1), "M16 5l-9 7 9 7")}
      <span class="steps-count number soft small" aria-live="off">
        {at} / {count}
      </span>
      {step(t("Forward"), Math.min(count, at + 1), "M8 5l9 7-9 7")}
      {step(t("To the end"), count, "M18 5v14M5 5l9 7-9 7")}
      {children}
    </div>
  );
}

export function FlipButton({ onFlip }: { onFlip: () => void }): JSX.Element {
  return (
    <button type="button" class="quiet" aria-label={t("Flip the board")} title={t("Flip the board")} onClick={onFlip}>
      <svg viewBox="0 0 24 24" aria-hidden="true">
        <path d="M8 4v15M8 4L4.500 8M8 4l3.500 4M16 20V5M16 20l-3.500-4M16 20l3.500-4" />
      </svg>
    </button>
  );
}

function useStepKeys(props: Props): void {
  const latest = useRef(props);
  latest.current = props;
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const busy = (event.target as Element).closest("input, select, textarea, dialog, [role=grid], [role=application]");
      if (busy || event.altKey || event.ctrlKey || event.metaKey) return;
      const { at, count, onStep } = latest.current;
      if (event.key === "ArrowLeft" && at > 0) onStep(at - 1);
      else if (event.key === "ArrowRight" && at < count) onStep(at + 1);
      else if (event.key === "Home" && at > 0) onStep(0);
      else if (event.key === "End" && at < count) onStep(count);
      else return;
      event.preventDefault();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
}
