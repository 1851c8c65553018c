// The search of the position that is shown: quick at first, deeper or without end when asked.

import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { App } from "../app";
import { UNTRAINED, short } from "../controls";
import { t } from "../language";
import type { Analysis, Move, Position } from "../protocol";
import { positionKey } from "../shown";

const QUICK_SIMULATIONS = 200; // on arriving at a position
const WITHOUT_NETWORK = 10; // times as many: they cost little and know little
const DEEPER = 4; // times as many simulations

export interface Search {
  analysis: Analysis | null; // of the position shown
  running: boolean;
  live: boolean; // goes on until stopped, also at the next position
  setLive: (live: boolean) => void;
  stop: () => void;
  deepen: () => void;
}

/** A quick search of every position shown, deeper or without end when asked. Leaving the position ends it. */
export function useSearch(app: App, position: Position, model: string, ready: boolean): Search {
  const key = `${model} ${positionKey(position)}`;
  const [found, setFound] = useState<{ key: string; analysis: Analysis } | null>(null);
  const [running, setRunning] = useState(false);
  const [live, setLive] = useState(false);
  const [budget, setBudget] = useState<{ key: string; simulations: number } | null>(null);
  const stop = useRef<() => void>(() => undefined);
  const simulations = budget?.key === key ? budget.simulations : QUICK_SIMULATIONS * cheapness(model);
  const analysis = found?.key === key ? found.analysis : null;

  useEffect(() => {
    if (!ready) return;
    const limit = live ? {} : { simulations };
    const request = app.connection.request("analyse", { position, model, ...limit }, (heard) => setFound({ key, analysis: heard }));
    stop.current = request.stop;
    setRunning(true);
    request.answer.then(
      () => setRunning(false),
      (error: Error) => {
        setRunning(false);
        setLive(false);
        app.notify(error.message);
      },
    );
    return () => {
      request.drop();
      setRunning(false);
    };
  }, [key, ready, live, simulations]);

  return {
    analysis,
    running,
    live,
    setLive,
    stop: () => stop.current(),
    deepen: () => setBudget({ key, simulations: DEEPER * Math.max(simulations, analysis?.simulations ?? 0) }),
  };
}

/** How many times as many simulations a model gets for the same time. */
export function cheapness(model: string): number {
  return UNTRAINED.has(model) ? WITHOUT_NETWORK : 1;
}

export function sum(moves: Move[]): number {
  return moves.reduce((total, move) => total + move.visits, 0);
}

export function SearchControls({ search, ready }: { search: Search; ready: boolean }): JSX.Element {
  const { analysis, running, live } = search;
  const speed = analysis && analysis.seconds > 0.05 ? ` · ${t("{count} a second", { count: short(Math.round(analysis.simulations / analysis.seconds)) })}` : "";
  return (
    <div class="search-controls">
      <div class="buttons">
        <button type="button" class={live ? "" : "primary"} disabled={!ready} aria-pressed={live} onClick={() => search.setLive(!live)}>
          {live ? t("Stop") : t("Start live search")}
        </button>
        <button type="button" disabled={!ready || live} onClick={running ? search.stop : search.deepen}>
          {running && !live ? t("Stop") : t("Deeper")}
        </button>
      </div>
      <p class="soft small number" data-simulations={analysis?.simulations} data-running={running}>
        {analysis ? `${t("{count} visits", { count: short(sum(analysis.moves)) })}${speed}` : ready ? t("Searching …") : ""}
      </p>
    </div>
  );
}
