// Training runs as the server tells them, asked again and again while the page is in sight.

import { useEffect, useRef, useState } from "preact/hooks";
import { http } from "../connection";
import { t } from "../language";
import type { RunDetail, RunGame, RunSummary } from "../protocol";
import { useStateOf } from "../state_of";

/** A line of metrics.jsonl, as far as the page draws it. */
export interface Point {
  iteration: number;
  iterations: number;
  self_play: {
    games: number;
    positions: number;
    evaluations: number;
    seconds: number;
    mean_length: number;
    first_player_score: number;
    draws: number;
    target_entropy: number;
    prior_entropy: number;
    surprise: number;
    nodes?: Node[]; // of a cluster
  };
  learner: {
    steps: number; // of this iteration
    samples: number;
    policy_loss: number;
    value_loss: number;
    value_loss_of_mean: number;
    learning_rate: number;
    window: number;
  };
  imitation?: { validation: { top1: number; top5: number } } | null; // of a run that learns from records
  rating?: { elo: number; error: number; zero: string; network: string } | null;
  seconds: number;
  seconds_left: number;
}

/** What one node of a cluster did in an iteration. */
export interface Node {
  name: string;
  threads: number;
  units: number;
  simulations_per_second: number;
  lost: number; // units
}

export interface Finding {
  name: string;
  cause: string;
  remedy: string;
}

const known = new Map<string, RunDetail["points"]>(); // of every run that was looked at

export function askRuns(): Promise<RunSummary[]> {
  return http("/api/runs");
}

/** All there is to say of a run. Only what it reported since we last asked is sent. */
export async function askRun(name: string): Promise<RunDetail> {
  const before = known.get(name) ?? [];
  const after = Number(before.at(-1)?.["iteration"] ?? 0);
  const run = await http<RunDetail>(`/api/runs/${encodeURIComponent(name)}?after=${after}`);
  if (run.iteration < after) {
    known.delete(name); // it was killed and went on from an earlier iteration, or begun anew
    return askRun(name);
  }
  const points = run.points.length > 0 ? [...before, ...run.points] : before;
  known.set(name, points);
  return { ...run, points };
}

export function forgetRun(name: string): void {
  known.delete(name);
}

export function askGames(name: string): Promise<RunGame[]> {
  return http(`/api/runs/${encodeURIComponent(name)}/games`);
}

export function pointsOf(run: RunDetail): Point[] {
  return run.points as unknown as Point[];
}

export function findingsOf(run: RunDetail): Finding[] {
  return run.findings as Finding[];
}

/** Calls at once, then every so many seconds while the page is in sight; `again` asks out of turn. `rest` asks no more by
    this key, and waits for what was asked, until what it returns is called: a run that gets another name is not asked for
    by the old one. */
export function usePolled<T>(
  key: string | null,
  seconds: number,
  ask: (key: string) => Promise<T>,
): { value: T | null; error: string | null; again: () => void; rest: () => Promise<() => void> } {
  const [answer, setAnswer] = useState<{ key: string; value: T } | null>(null);
  const [error, setError] = useStateOf<string | null>(null, [key]);
  const latest = useRef(() => undefined as void);
  const resting = useRef<string | null>(null); // the key
  const asked = useRef(Promise.resolve());
  useEffect(() => {
    if (resting.current !== key) resting.current = null;
    if (key === null) return undefined;
    let isGone = false;
    let timer: number | undefined;
    const turn = (): void => {
      clearTimeout(timer);
      if (resting.current === key) return;
      asked.current = Promise.all([asked.current, askOnce()]).then(() => undefined);
    };
    const askOnce = async (): Promise<void> => {
      try {
        const value = await ask(key);
        if (isGone) return;
        setAnswer({ key, value });
        setError(null);
      } catch (problem) {
        if (isGone) return;
        setError(problem instanceof Error ? problem.message : String(problem));
      }
      clearTimeout(timer);
      timer = window.setTimeout(wake, 1000 * seconds);
    };
    const wake = (): void => {
      if (!document.hidden) turn();
    };
    latest.current = wake;
    document.addEventListener("visibilitychange", wake);
    turn();
    return () => {
      isGone = true;
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", wake);
    };
  }, [key, seconds]);
  const rest = async (): Promise<() => void> => {
    resting.current = key;
    await asked.current;
    return () => {
      resting.current = null;
      latest.current();
    };
  };
  return { value: answer?.key === key ? answer.value : null, error, again: () => latest.current(), rest };
}

export function duration(seconds: number): string {
  if (seconds < 59.5) return t("{n} s", { n: Math.round(seconds) });
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return t("{n} min", { n: minutes });
  return t("{hours} h {minutes} min", { hours: Math.floor(minutes / 60), minutes: String(minutes % 60).padStart(2, "0") });
}
