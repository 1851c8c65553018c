// The state of a position, asked from the server once and remembered.

import { useEffect, useState } from "preact/hooks";
import type { Connection } from "../connection";
import type { Position, State } from "../protocol";

const MOST_REMEMBERED = 500;
const remembered = new Map<string, State>();

/** The newest state that has arrived; null until the first has, or when the server refuses the position. */
export function useShown(connection: Connection, position: Position | null): State | null {
  const key = position === null ? null : JSON.stringify(position);
  const [state, setState] = useState<State | null>(key === null ? null : (remembered.get(key) ?? null));
  useEffect(() => {
    if (position === null || key === null) return undefined;
    const known = remembered.get(key);
    if (known) {
      setState(known);
      return undefined;
    }
    const asked = connection.request("show", { position });
    asked.answer.then(
      (answer) => {
        if (remembered.size >= MOST_REMEMBERED) remembered.clear();
        remembered.set(key, answer);
        setState(answer);
      },
      () => setState(null),
    );
    return asked.drop;
  }, [connection, key]);
  return state;
}
