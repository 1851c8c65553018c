// The settings of a run, and in which of them runs differ.

import type { JSX } from "preact";
import { t } from "../language";
import type { RunDetail } from "../protocol";

export function RunSettings({ runs }: { runs: RunDetail[] }): JSX.Element {
  const tables = runs.map(({ config }) => flat(config));
  const names = [...new Set(tables.flatMap((table) => [...table.keys()]))].sort();
  const isCompared = runs.length > 1;
  const shown = isCompared ? names.filter((name) => new Set(tables.map((table) => table.get(name))).size > 1) : names;
  return (
    <details class="card run-settings" open={isCompared}>
      <summary>{isCompared ? t("Settings that differ") : t("Settings")}</summary>
      {shown.length === 0 ? (
        <p class="soft">{isCompared ? t("None: these runs have the same settings.") : t("The run has not written them yet.")}</p>
      ) : (
        <div class="scroll-x">
          <table class="numbers">
            <thead>
              <tr>
                <th scope="col">{t("Setting")}</th>
                {runs.map((run) => (
                  <th scope="col">{run.name}</th>
                ))}
              </tr>
            </thead>
            <tbody>
              {shown.map((name) => (
                <tr data-setting={name}>
                  <th scope="row">{name}</th>
                  {tables.map((table) => (
                    <td>{table.get(name) ?? "–"}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </details>
  );
}

/** By dotted names, as texts. */
function flat(config: Record<string, unknown>, before = ""): Map<string, string> {
  const found = new Map<string, string>();
  for (const [name, value] of Object.entries(config)) {
    if (value !== null && typeof value === "object" && !Array.isArray(value)) {
      for (const [inner, text] of flat(value as Record<string, unknown>, `${before}${name}.`)) found.set(inner, text);
    } else found.set(before + name, Array.isArray(value) ? value.join(", ") : String(value));
  }
  return found;
}
