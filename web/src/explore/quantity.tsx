// The name of a quantity that explains itself: its formula and a sentence, on hover, on focus and on a tap.

import { useId, useState } from "preact/hooks";
import type { Quantity } from "./words";

export function Term({ quantity, align = "middle" }: { quantity: Quantity; align?: "start" | "middle" | "end" }) {
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  return (
    <span class={`term term-${align}`} onMouseEnter={() => setOpen(true)} onMouseLeave={() => setOpen(false)}>
      <button
        type="button"
        class="term-name"
        aria-describedby={id}
        onFocus={() => setOpen(true)}
        onBlur={() => setOpen(false)}
        onClick={() => setOpen(true)}
        onKeyDown={(event) => event.key === "Escape" && setOpen(false)}
      >
        {quantity.name}
      </button>
      <span role="tooltip" id={id} class="term-about" hidden={!isOpen}>
        <b>{quantity.title}</b>
        <code>{quantity.formula}</code>
        <span>{quantity.about}</span>
      </span>
    </span>
  );
}
