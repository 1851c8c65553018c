// A state that belongs to something shown (a position, a simulation): with another one it begins anew.

import { useRef, useState } from "preact/hooks";

/** As soon as one of the keys changes, the value is the initial one, in the same drawing; what is set for the keys of
    before is dropped. (An effect that resets a state comes after the drawing, and takes back what a quick hand did in
    between.) */
export function useStateOf<T>(initial: T, keys: readonly unknown[]): [T, (value: T) => void] {
  const [, redraw] = useState(0);
  const latest = useRef({ keys, value: initial });
  if (keys.some((key, index) => key !== latest.current.keys[index])) latest.current = { keys, value: initial };
  const held = latest.current;
  const set = (value: T): void => {
    if (held !== latest.current || held.value === value) return;
    held.value = value;
    redraw((count) => count + 1);
  };
  return [held.value, set];
}
