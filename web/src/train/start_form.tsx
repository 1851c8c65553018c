// A new run: which game, how long, and if wanted any of its settings, each with its meaning. What is left alone is what
// suits the game.

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { App } from "../app";
import { http } from "../connection";
import { BrokenOptions } from "../controls";
import { said, t } from "../language";
import type { RunSetting } from "../protocol";

export interface Start {
  game: string;
  minutes: number;
  sets: string[]; // "self_play.simulations=64"
  preset: string | null;
}

const MINUTES = 5;

export function StartForm(props: {
  app: App;
  isWaiting: boolean;
  isBusy: boolean;
  onStart: (asked: Start) => void;
}): JSX.Element {
  const { games } = props.app;
  const [game, setGame] = useState((games.find((one) => one.name === "tic_tac_toe") ?? games[0])?.name ?? "");
  const [minutes, setMinutes] = useState(MINUTES);
  const [isOpen, setOpen] = useState(false);
  const [preset, setPreset] = useState("");
  const [changed, setChanged] = useState<Record<string, string>>({}); // by name of the setting
  const known = useSettings(isOpen, game, minutes, preset);
  const sets = Object.entries(changed).map(([name, value]) => `${name}=${value}`);
  return (
    <form
      class="card start-form"
      onSubmit={(event) => {
        event.preventDefault();
        props.onStart({ game, minutes, sets, preset: preset || null });
      }}
    >
      <h2>{t("New run")}</h2>
      <label class="field">
        <span class="label-text">{t("Game")}</span>
        <select value={game} onChange={(event) => setGame(event.currentTarget.value)}>
          {games.map((one) => (
            <option key={one.name} value={one.name} selected={one.name === game}>
              {one.title}
            </option>
          ))}
          <BrokenOptions games={props.app.broken} />
        </select>
      </label>
      <label class="field">
        <span class="label-text">{t("Minutes")}</span>
        <input
          type="number"
          min={0.1}
          max={1440}
          step="any"
          required
          value={minutes}
          onInput={(event) => setMinutes(event.currentTarget.valueAsNumber)}
        />
      </label>
      <details class="options" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>{t("Settings")}{sets.length > 0 && ` ${t("({n} changed)", { n: sets.length })}`}</summary>
        {known.problem && <p role="alert">{known.problem}</p>}
        {known.presets.length > 0 && (
          <label class="field">
            <span class="label-text">{t("Preset")}</span>
            <select value={preset} onChange={(event) => setPreset(event.currentTarget.value)}>
              <option value="">{t("What suits the game")}</option>
              {known.presets.map((name) => (
                <option value={name}>{name}</option>
              ))}
            </select>
          </label>
        )}
        {sectionsOf(known.settings).map(([section, settings]) => (
          <details class="setting-section">
            <summary>{section}</summary>
            {settings.map((setting) => (
              <SettingField
                key={setting.name}
                setting={setting}
                changed={changed[setting.name]}
                onChange={(value) => setChanged(withSetting(changed, setting, value))}
              />
            ))}
          </details>
        ))}
      </details>
      <button type="submit" class="primary" disabled={props.isWaiting || props.isBusy}>
        {props.isWaiting ? t("Starting …") : t("Start training")}
      </button>
      {props.isBusy && <p class="soft small">{t("A run takes the whole machine: stop the one that is running first.")}</p>}
    </form>
  );
}

/** A setting that is put back to what it was is no change. */
function withSetting(changed: Record<string, string>, { name, value }: RunSetting, text: string): Record<string, string> {
  const { [name]: _, ...others } = changed;
  return text === String(value) || text === "" ? others : { ...others, [name]: text };
}

function SettingField(props: { setting: RunSetting; changed: string | undefined; onChange: (value: string) => void }): JSX.Element {
  const { setting } = props;
  const value = props.changed ?? String(setting.value);
  const key = setting.name.split(".").at(-1) ?? setting.name;
  const choices = typeof setting.value === "boolean" ? ["true", "false"] : setting.choices;
  return (
    <label class="setting" data-setting={setting.name}>
      <span class="label-text">
        {key.replaceAll("_", " ")} {setting.unit && <span class="soft">({said(setting.unit)})</span>}
      </span>
      {choices.length > 0 ? (
        <select value={value} onChange={(event) => props.onChange(event.currentTarget.value)}>
          {choices.map((choice) => (
            <option value={choice} selected={choice === value}>
              {choice}
            </option>
          ))}
        </select>
      ) : (
        <input type="number" step="any" value={value} onInput={(event) => props.onChange(event.currentTarget.value)} />
      )}
      <small class="soft">
        {said(setting.meaning)}
        {props.changed === undefined ? "" : ` · ${t("was {value}", { value: String(setting.value) })}`}
      </small>
    </label>
  );
}

/** By the part of the run that they are of. */
function sectionsOf(settings: RunSetting[]): [string, RunSetting[]][] {
  const sections = new Map<string, RunSetting[]>();
  for (const setting of settings) {
    const section = setting.name.includes(".") ? setting.name.split(".").slice(0, -1).join(" ").replaceAll("_", "-") : "run";
    sections.set(section, [...(sections.get(section) ?? []), setting]);
  }
  return [...sections];
}

function useSettings(isOpen: boolean, game: string, minutes: number, preset: string) {
  const [known, setKnown] = useState<{ presets: string[]; settings: RunSetting[]; problem: string | null }>({
    presets: [],
    settings: [],
    problem: null,
  });
  useEffect(() => {
    if (!isOpen || !(minutes > 0)) return undefined;
    let isGone = false;
    const query = new URLSearchParams({ game, minutes: String(minutes), ...(preset ? { preset } : {}) });
    http<{ presets: string[]; settings: RunSetting[] }>(`/api/settings?${query}`).then(
      (answer) => isGone || setKnown({ ...answer, problem: null }),
      (error: Error) => isGone || setKnown((now) => ({ ...now, problem: error.message })),
    );
    return () => {
      isGone = true;
    };
  }, [isOpen, game, minutes, preset]);
  return known;
}
