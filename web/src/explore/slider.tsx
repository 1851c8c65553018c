// A slider of the explorer.

import type { JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { useStateOf } from "../state_of";

const SLIDER_PAUSE = 250; // milliseconds without a change, by mouse or keyboard, before a slider acts

/** A slider that acts when it comes to rest, and says its number meanwhile. */
export function Slider(props: {
  name: string;
  about: string;
  value: number;
  most: number;
  isDisabled?: boolean;
  onChange: (value: number) => void;
}): JSX.Element {
  const [shown, setShown] = useStateOf(props.value, [props.value]);
  const latest = useRef(props);
  latest.current = props;
  useLayoutEffect(() => {
    if (shown === latest.current.value) return undefined;
    const timer = setTimeout(() => latest.current.onChange(shown), SLIDER_PAUSE);
    return () => clearTimeout(timer);
  }, [shown]);
  return (
    <label class="slider">
      <span>
        {props.name} <b>{shown.toFixed(2)}</b>
      </span>
      <input
        type="range"
        min={0}
        max={props.most}
        step={0.05}
        value={shown}
        disabled={props.isDisabled}
        onInput={(event) => setShown(Number(event.currentTarget.value))}
      />
      <small class="soft">{props.about}</small>
    </label>
  );
}
