// A list that scrolls by itself so that its current entry stays in sight; the page around it stays where it is.

import { useLayoutEffect, useRef } from "preact/hooks";

/** Scrolls once for each key, as soon as there is a current entry. */
export function useInSight<T extends HTMLElement>(key: string): { current: T | null } {
  const box = useRef<T>(null);
  const done = useRef<string | null>(null);
  useLayoutEffect(() => {
    const [list, entry] = [box.current, box.current?.querySelector("[aria-current]")];
    if (!list || !entry || done.current === key) return;
    done.current = key;
    const [around, inner] = [list.getBoundingClientRect(), entry.getBoundingClientRect()];
    if (inner.top < around.top) list.scrollTop -= around.top - inner.top + inner.height;
    else if (inner.bottom > around.bottom) list.scrollTop += inner.bottom - around.bottom + inner.height;
    if (inner.left < around.left) list.scrollLeft -= around.left - inner.left + 3 * inner.width;
    else if (inner.right > around.right) list.scrollLeft += inner.right - around.right + 3 * inner.width;
  });
  return box;
}
