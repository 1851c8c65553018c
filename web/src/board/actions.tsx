// Actions that are on no cell of the board: a pass and its like as buttons; many of them, or all actions of a game that
// does not say what stands on its board, as a list to choose from by name.

import type { JSX } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { capital } from "../controls";
import { t } from "../language";
import type { Action, State } from "../protocol";

const MOST_BUTTONS = 8; // more are a list

export function Actions({ state, onPlay }: { state: State; onPlay: (action: Action) => void }): JSX.Element | null {
  const isOnBoard = ({ source, target }: Action): boolean => source !== null || target !== null || state.board.layout === "columns";
  const actions = state.legal.filter((action) => state.cells === null || !isOnBoard(action));
  if (!actions.length) return null;
  if (actions.length > MOST_BUTTONS) return <ActionList key={state.position.moves.length} actions={actions} onPlay={onPlay} />;
  return (
    <div class="buttons even action-buttons" role="group" aria-label={t("Moves that are not on the board")}>
      {actions.map((action) => (
        <button type="button" data-action={action.text} onClick={() => onPlay(action)}>
          {state.cells === null ? action.text : capital(action.text)}
        </button>
      ))}
    </div>
  );
}

/** Typing filters, arrows choose, Enter plays. */
function ActionList({ actions, onPlay }: { actions: Action[]; onPlay: (action: Action) => void }): JSX.Element {
  const [typed, setTyped] = useState("");
  const [at, setAt] = useState(0);
  const id = useId();
  const list = useRef<HTMLUListElement>(null);
  const wanted = typed.trim().toLowerCase();
  const rank = (text: string): number => (text === wanted ? 0 : text.startsWith(wanted) ? 1 : 2);
  const found = actions
    .filter(({ text }) => text.toLowerCase().includes(wanted))
    .sort((a, b) => rank(a.text.toLowerCase()) - rank(b.text.toLowerCase()));
  const chosen = Math.min(at, found.length - 1);
  useEffect(() => {
    list.current?.children[chosen]?.scrollIntoView({ block: "nearest" });
  }, [chosen, typed]);
  const onKeyDown = (event: KeyboardEvent): void => {
    const action = found[chosen];
    if (event.key === "ArrowDown") setAt(Math.min(found.length - 1, chosen + 1));
    else if (event.key === "ArrowUp") setAt(Math.max(0, chosen - 1));
    else if (event.key === "Enter" && action) onPlay(action);
    else return;
    event.preventDefault();
  };
  return (
    <div class="action-list">
      <label class="small soft" for={`${id}-filter`}>
        {t("{n} legal moves: type to find one", { n: actions.length })}
      </label>
      <input
        id={`${id}-filter`}
        type="text"
        role="combobox"
        autocomplete="off"
        spellcheck={false}
        aria-expanded="true"
        aria-controls={`${id}-list`}
        aria-activedescendant={found.length ? `${id}-${chosen}` : undefined}
        value={typed}
        onInput={(event) => {
          setTyped(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
      />
      <ul id={`${id}-list`} role="listbox" aria-label={t("Legal moves")} ref={list}>
        {found.map((action, index) => (
          <li
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === chosen}
            data-action={action.text}
            onClick={() => onPlay(action)}
          >
            {action.text}
          </li>
        ))}
      </ul>
      {!found.length && <p class="small soft">{t("No legal move is called that.")}</p>}
    </div>
  );
}
