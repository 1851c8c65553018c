// The four stages of a simulation. They light up in turn; a click shows the simulation as it was at that stage.

import type { JSX } from "preact";
import { t } from "../language";
import { STAGES } from "./words";

interface Props {
  stage: number; // the one that is lit
  onStage: (stage: number) => void;
  isIdle: boolean; // nothing has happened yet
}

export function Stages({ stage, onStage, isIdle }: Props): JSX.Element {
  return (
    <ol class="stages" aria-label={t("Stages of a simulation")}>
      {STAGES.map((name, i) => (
        <li key={name} class={isIdle ? "" : i === stage ? "is-lit" : i < stage ? "is-done" : ""}>
          <button
            type="button"
            disabled={isIdle}
            aria-current={!isIdle && i === stage ? "step" : undefined}
            onClick={() => onStage(i)}
          >
            <span class="stage-number" aria-hidden="true">
              {i + 1}
            </span>
            {name}
          </button>
        </li>
      ))}
    </ol>
  );
}
