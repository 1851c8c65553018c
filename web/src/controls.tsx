// Controls that several screens use.

import type { ComponentChildren, JSX } from "preact";
import { useId, useState } from "preact/hooks";
import type { App } from "./app";
import { rich, t } from "./language";
import type { BrokenGame, GameInfo, Options, Position } from "./protocol";

/** One of a few, all in sight. */
export function Segments<T extends string>(props: {
  label: string;
  value: T;
  options: { value: T; content: ComponentChildren; label?: string; disabled?: boolean }[];
  onChange: (value: T) => void;
}): JSX.Element {
  const name = useId();
  return (
    <fieldset class="segments" aria-label={props.label}>
      {props.options.map((option) => (
        <label title={option.label}>
          <input
            type="radio"
            name={name}
            value={option.value}
            aria-label={option.label}
            disabled={option.disabled}
            checked={option.value === props.value}
            onChange={() => props.onChange(option.value)}
          />
          {option.content}
        </label>
      ))}
    </fieldset>
  );
}

/** One of many. */
export function Select(props: {
  label: string;
  value: string;
  options: { value: string; text: string }[];
  onChange: (value: string) => void;
  hideLabel?: boolean;
}): JSX.Element {
  const id = useId();
  return (
    <div class="field">
      <label for={id} class={props.hideLabel ? "visually-hidden" : ""}>
        {props.label}
      </label>
      <select id={id} value={props.value} onChange={(event) => props.onChange(event.currentTarget.value)}>
        {props.options.map((option) => (
          <option value={option.value} selected={option.value === props.value}>
            {option.text}
          </option>
        ))}
      </select>
    </div>
  );
}

/** Which game, and its options if it has some; those with a trained network first. */
export function GamePicker(props: {
  app: App;
  position: Position;
  onChange: (game: GameInfo, options: Options) => void;
}): JSX.Element {
  const { games } = props.app;
  const game = games.find((one) => one.name === props.position.game);
  const trained = games.filter((one) => one.models.some((model) => !UNTRAINED.has(model)));
  const others = games.filter((one) => !trained.includes(one));
  const id = useId();
  const choose = (name: string): void => {
    const chosen = games.find((one) => one.name === name);
    if (chosen) props.onChange(chosen, chosen.options);
  };
  const option = (one: GameInfo): JSX.Element => (
    <option value={one.name} selected={one.name === props.position.game}>
      {one.title}
    </option>
  );
  return (
    <div class="field">
      <label for={id}>{t("Game")}</label>
      <select id={id} value={props.position.game} onChange={(event) => choose(event.currentTarget.value)}>
        {trained.length > 0 && <optgroup label={t("With a trained network")}>{trained.map(option)}</optgroup>}
        {others.length > 0 && <optgroup label={t("By search alone")}>{others.map(option)}</optgroup>}
        <BrokenOptions games={props.app.broken} />
      </select>
      {props.app.broken.map((broken) => (
        <p class="small broken-game" data-broken={broken.name}>
          {rich("*{game}* can’t be shown.", { game: broken.title })} {broken.problem}
        </p>
      ))}
      {game && Object.keys(game.options).length > 0 && (
        <details class="options">
          <summary>{t("Options")}</summary>
          <div class="option-list">
            {Object.entries(props.position.options).map(([name, value]) => (
              <OptionField
                name={name}
                value={value}
                onChange={(changed) => props.onChange(game, { ...props.position.options, [name]: changed })}
              />
            ))}
          </div>
        </details>
      )}
    </div>
  );
}

/** Games that the server was started with and can't show. */
export function BrokenOptions({ games }: { games: BrokenGame[] }): JSX.Element | null {
  if (!games.length) return null;
  return (
    <optgroup label={t("Can’t be shown")}>
      {games.map((game) => (
        <option disabled value={game.name} title={game.problem}>
          {game.title}
        </option>
      ))}
    </optgroup>
  );
}

/** In place of a board: there is none yet, or none can be. */
export function Waiting({ problem }: { problem: string | null }): JSX.Element {
  if (problem === null) return <p class="waiting">{t("Setting up the board …")}</p>;
  return (
    <p class="waiting" role="alert">
      {problem}
    </p>
  );
}

/** Models that every game has: no network behind them. */
export const UNTRAINED = new Map([
  ["rollout", t("Random play-outs (no network)")],
  ["uniform", t("The rules alone (no network)")],
]);

export function modelText(model: string): string {
  return UNTRAINED.get(model) ?? t("Network {name}", { name: model });
}

function OptionField(props: {
  name: string;
  value: Options[string] | undefined;
  onChange: (value: number | boolean) => void;
}): JSX.Element {
  const words = t(props.name.replaceAll("_", " "));
  const [typed, setTyped] = useState<string | null>(null); // until it is entered; answers that come meanwhile must not undo it
  if (typeof props.value === "boolean") {
    return (
      <label class="option">
        <span>{words}</span>
        <input type="checkbox" checked={props.value} onChange={(event) => props.onChange(event.currentTarget.checked)} />
      </label>
    );
  }
  return (
    <label class="option">
      <span>{words}</span>
      <input
        type="number"
        step="any"
        value={typed ?? String(props.value)}
        onInput={(event) => setTyped(event.currentTarget.value)}
        onChange={(event) => {
          setTyped(null);
          if (Number.isFinite(event.currentTarget.valueAsNumber)) props.onChange(event.currentTarget.valueAsNumber);
        }}
      />
    </label>
  );
}

export function copyLink(app: App, hash: string): Promise<void> {
  return copyText(app, `${location.href.split("#")[0]}${hash}`, t("The link is copied."));
}

/** Says so; where a browser does not let it, the text itself is shown. */
export async function copyText(app: App, text: string, done: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    app.notify(done);
  } catch {
    app.notify(text);
  }
}

export function percent(share: number): string {
  return `${Math.round(100 * share)} %`;
}

/** 950, 1.2k, 34k, 1.2M */
export function short(count: number): string {
  if (count < 1000) return String(count);
  const [size, unit] = count < 1e6 ? [count / 1e3, "k"] : [count / 1e6, "M"];
  return `${size < 10 ? size.toFixed(1) : Math.round(size)}${unit}`;
}

/** A name that a game says, in the reader's language, as a sentence begins with it. */
export function capital(words: string): string {
  const said = t(words);
  return said.charAt(0).toUpperCase() + said.slice(1);
}
