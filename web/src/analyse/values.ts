// Win rates over a game: of every position of the line what the search says, found little by little.

import { useEffect, useState } from "preact/hooks";
import type { App } from "../app";
import type { Analysis, Player, Position, State } from "../protocol";
import { askState, positionKey } from "../shown";
import { firstLead, firstWinRate } from "../value_bar";
import { cheapness } from "./search";

const GRAPH_SIMULATIONS = 32; // for each position of the game, so that the graph fills itself

/** What is known of a position. Win rates are the first player's. */
export interface Known {
  rate: number; // NaN: it could not be searched
  best: number; // after the best move: the mean over all moves is lower the more were explored
  move: string | null; // the best one
  name: string | null; // the same, as people write it
  lead: number | null; // of the first player at the end, where the network has a score head
  player: Player | null; // whose turn it is; null where the game is over
  simulations: number; // Infinity where the game is over
}

const UNKNOWN: Known = { rate: Number.NaN, best: Number.NaN, move: null, name: null, lead: null, player: null, simulations: Infinity };

const known = new Map<string, Known>(); // by model and position, of this visit
const MOST_KNOWN = 20_000;

export interface Values {
  values: (Known | undefined)[]; // after 0, 1, 2 .. moves of the line
  missing: number; // positions that are not yet searched so deep
}

/** The positions of a line, each searched by at least so many simulations (0: as many as the graph needs). */
export function useValues(app: App, line: Position, model: string, wanted: number, isBusy: boolean): Values {
  const [, redraw] = useState(0);
  const keyAt = (count: number): string => keyOf(model, { ...line, moves: line.moves.slice(0, count) });
  const simulations = Math.max(wanted, GRAPH_SIMULATIONS) * cheapness(model);
  const values = Array.from({ length: line.moves.length + 1 }, (_, count) => known.get(keyAt(count)));
  const lacking = values.flatMap((value, count) => (value === undefined || value.simulations < simulations ? [count] : []));
  const unknown = lacking.find((count) => values[count] === undefined);
  const next = unknown ?? lacking[0];
  const key = next === undefined || isBusy ? null : `${simulations} ${keyAt(next)}`;
  useEffect(() => {
    if (key === null || next === undefined) return;
    const position = { ...line, moves: line.moves.slice(0, next) };
    let gone = false;
    let drop = (): void => undefined;
    const settle = (value: Known): void => {
      if (gone) return;
      learn(model, position, value);
      redraw((count) => count + 1);
    };
    askState(app, position)
      .then((there) => {
        if (gone || there.outcome) return settle(settled(there));
        const request = app.connection.request("analyse", { position, model, simulations });
        drop = request.drop;
        return request.answer.then((analysis) => settle(reached(found(analysis), simulations)));
      })
      .catch(() => settle(UNKNOWN));
    return () => {
      gone = true;
      drop();
    };
  }, [key]);
  return { values, missing: lacking.length };
}

/** What a search found is known from then on. */
export function learnFrom(model: string, analysis: Analysis): void {
  const position = analysis.state.position;
  const before = known.get(keyOf(model, position));
  if (before === undefined || analysis.simulations >= before.simulations) learn(model, position, found(analysis));
}

export function learnEnd(model: string, state: State): void {
  learn(model, state.position, settled(state));
}

function learn(model: string, position: Position, value: Known): void {
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(keyOf(model, position), value);
}

function found(analysis: Analysis): Known {
  const [best] = analysis.moves;
  const value = analysis.proven || !best ? analysis.value : best.value;
  const rate = (1 + (analysis.state.to_move === 0 ? value : -value)) / 2;
  const { simulations, state } = analysis;
  const isSettled = analysis.proven !== null; // it will be searched no further
  return {
    rate: firstWinRate(analysis),
    best: rate,
    move: best?.text ?? null,
    name: best?.notation ?? null,
    lead: firstLead(analysis),
    player: state.to_move,
    simulations: isSettled ? Infinity : simulations,
  };
}

function settled(state: State): Known {
  const winner = state.outcome?.winner ?? null;
  const rate = winner === null ? 0.5 : winner === 0 ? 1 : 0;
  return { rate, best: rate, move: null, name: null, lead: state.score, player: null, simulations: Infinity };
}

/** A search that ended earlier than asked, by the server's limits, is not asked for again. */
function reached(value: Known, simulations: number): Known {
  return { ...value, simulations: Math.max(value.simulations, simulations) };
}

function keyOf(model: string, position: Position): string {
  return `${model} ${positionKey(position)}`;
}
