// States of positions, as the server tells them. What was once told is kept, so going back and forth asks nothing.

import { useEffect, useState } from "preact/hooks";
import type { App } from "./app";
import type { Screen } from "./link";
import type { GameInfo, Position, State } from "./protocol";

const MOST_KEPT = 2000;
const kept = new Map<string, State>();
const asked = new Map<string, Promise<State>>(); // and not yet answered

export function positionKey(position: Position): string {
  return JSON.stringify([position.game, position.options, position.start ?? "", position.moves]);
}

export function after(position: Position, ...moves: string[]): Position {
  return { ...position, moves: [...position.moves, ...moves] };
}

export function keepState(position: Position, state: State): void {
  const key = positionKey(position);
  if (kept.has(key)) return; // one object for a position: what is drawn from it stays as it is
  if (kept.size >= MOST_KEPT) kept.clear();
  kept.set(key, state);
}

export async function askState(app: App, position: Position): Promise<State> {
  const key = positionKey(position);
  const known = kept.get(key) ?? asked.get(key);
  if (known) return known;
  const answer = app.connection.request("show", { position }).answer;
  asked.set(key, answer);
  try {
    keepState(position, await answer);
  } finally {
    asked.delete(key);
  }
  return kept.get(key) ?? answer;
}

export interface Shown {
  state: State | null; // while the server is asked: the one before, of the same game; none if there is a problem
  current: boolean; // it is the state of the position asked about
  problem: string | null; // why there is no such position
}

export function useShown(app: App, position: Position): Shown {
  const key = positionKey(position);
  const known = kept.get(key) ?? null;
  const [before, setBefore] = useState<State | null>(known);
  const [problem, setProblem] = useState<{ key: string; message: string } | null>(null);
  const [, redraw] = useState(0);
  useEffect(() => {
    let gone = false;
    askState(app, position).then(
      (state) => {
        if (gone) return;
        setBefore(state);
        redraw((count) => count + 1);
      },
      (error: Error) => gone || setProblem({ key, message: error.message }),
    );
    return () => {
      gone = true;
    };
  }, [key]);
  const why = problem?.key === key ? problem.message : null;
  const stale = why === null && before?.position.game === position.game ? before : null;
  return { state: known ?? stale, current: known !== null, problem: why };
}

export function startOf(game: GameInfo): Position {
  return { game: game.name, options: game.options, moves: [] };
}

/** The game of a screen that was not told which: the smallest one where every number is looked at. */
export function firstGame(games: GameInfo[], screen: Screen): GameInfo {
  const name = screen === "explore" ? "tic_tac_toe" : "connect_four";
  return games.find((game) => game.name === name) ?? (games[0] as GameInfo);
}
