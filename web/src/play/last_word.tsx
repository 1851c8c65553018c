// A move that is on no cell, a pass, can end a game before its player meant it to. Such a move is confirmed first: when
// it ends the game, and when the same answer to it would end the game without a win for who makes it.

import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { App } from "../app";
import { t } from "../language";
import { outcomeSentence } from "../outcomes";
import type { Action, Outcome, Position, State } from "../protocol";
import { after, askState, positionKey } from "../shown";

interface Question {
  key: string; // of the position that it is about
  action: Action;
  outcome: Outcome;
  isAtOnce: boolean;
}

/** `state` null: nothing can be played. `play` is what the board calls; the dialog is to be put anywhere. */
export function useLastWord(
  app: App,
  position: Position,
  state: State | null,
  onPlay: (action: Action) => void,
): { play: (action: Action) => void; dialog: JSX.Element | null } {
  const [question, setQuestion] = useState<Question | null>(null);
  const key = positionKey(position);
  const latest = useRef(key);
  latest.current = key;
  const play = (action: Action): void => {
    if (state === null) return;
    if (action.source !== null || action.target !== null || state.cells === null || state.legal.length === 1) return onPlay(action);
    void endOf(app, position, action, state).then((found) => {
      if (latest.current !== key) return; // the player went elsewhere meanwhile
      if (found) setQuestion({ key, action, ...found });
      else onPlay(action);
    });
  };
  const asked = question?.key === key ? question : null;
  const close = (): void => setQuestion(null);
  const dialog = asked && (
    <Confirm
      title={asked.action.text === "pass" ? t("Pass now?") : t("Play {move} now?", { move: asked.action.notation })}
      onYes={() => {
        close();
        onPlay(asked.action);
      }}
      onNo={close}
    >
      <p>
        {asked.isAtOnce ? t("This ends the game.") : t("If the answer is the same, the game ends.")}{" "}
        {t("As the board stands: {result}.", { result: outcomeSentence(asked.outcome, state?.board.players ?? []) })}
      </p>
      {state?.board.score_name === "points" && (
        <p class="soft small">
          {t("Nothing is taken off the board at the end: a stone that could be captured, but was not, counts as alive. Capture dead stones before you pass.")}
        </p>
      )}
    </Confirm>
  );
  return { play, dialog };
}

/** How the game would end by this move, or by the same move of the opponent after it unless that is a win. */
async function endOf(app: App, position: Position, action: Action, state: State): Promise<{ outcome: Outcome; isAtOnce: boolean } | null> {
  try {
    const next = await askState(app, after(position, action.text));
    if (next.outcome) return { outcome: next.outcome, isAtOnce: true };
    if (!next.legal.some(({ text }) => text === action.text)) return null;
    const { outcome } = await askState(app, after(position, action.text, action.text));
    return outcome && outcome.winner !== state.to_move ? { outcome, isAtOnce: false } : null;
  } catch {
    return null; // the move itself will say what is wrong
  }
}

function Confirm(props: { title: string; onYes: () => void; onNo: () => void; children: JSX.Element | (JSX.Element | false)[] }): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} class="confirm" aria-label={props.title} onCancel={props.onNo}>
      <h2 class="dialog-title">{props.title}</h2>
      {props.children}
      <div class="buttons">
        <button type="button" class="primary" onClick={props.onYes}>
          {t("Yes")}
        </button>
        <button type="button" onClick={props.onNo}>
          {t("No, play on")}
        </button>
      </div>
    </dialog>
  );
}
