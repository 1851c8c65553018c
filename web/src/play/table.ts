// A game against the agent as the place has it: which game, who plays which side, and how strong the agents are.

import type { App } from "../app";
import { type Spot, readSpot, spotAt, writeLink } from "../link";
import type { GameInfo, Player } from "../protocol";
import { startOf } from "../shown";
import { remember } from "../storage";
import { CLOCKS } from "./clock";

export type Side = "0" | "1" | "watch"; // the visitor's; watch: agent against agent

export interface Table {
  spot: Spot;
  side: Side;
  level: string;
  model: string;
  second: { level: string; model: string } | null; // of the second player, when two agents are watched; null: the same
  resigned: boolean; // by the visitor
  clock: string; // "300+2", or "": none
  late: Player | null; // who had no time left
}

export function agentOf({ level, model, second }: Table, player: Player): { level: string; model: string } {
  return player === 1 && second ? second : { level, model };
}

export function withAgent(table: Table, player: Player, change: { level?: string; model?: string }): Partial<Table> {
  const [first, second] = ([0, 1] as const).map((one) => ({ ...agentOf(table, one), ...(one === player ? change : {}) })) as [
    { level: string; model: string },
    { level: string; model: string },
  ];
  return { ...first, second };
}

export function isLookingBack({ spot }: Table): boolean {
  return spot.position.moves.length < spot.line.length;
}

export function opponent(side: Side): Player {
  return side === "1" ? 0 : 1;
}

/** A new game, with the side and level that were used for this game the last time. */
export function savedTable(game: GameInfo): Table {
  const saved = JSON.parse(remember(`play.${game.name}`) ?? "{}") as Partial<Table>;
  return fitting(game, { spot: spotAt(startOf(game)), side: "0", level: "", model: "", second: null, resigned: false, clock: "", late: null, ...saved });
}

export function readTable(app: App, game: GameInfo): Table {
  const { query } = app.place;
  const saved = savedTable(game);
  return fitting(game, {
    spot: readSpot(app.place, app.games) ?? saved.spot,
    side: query["side"] === "0" || query["side"] === "1" || query["side"] === "watch" ? query["side"] : saved.side,
    level: query["level"] ?? saved.level,
    model: query["model"] ?? saved.model,
    second: query["level2"] === undefined && query["model2"] === undefined ? null : { level: query["level2"] ?? "", model: query["model2"] ?? "" },
    resigned: query["resigned"] === "yes",
    clock: query["clock"] ?? saved.clock,
    late: query["late"] === "0" ? 0 : query["late"] === "1" ? 1 : null,
  });
}

/** With levels and models that the game has. */
function fitting(game: GameInfo, table: Table): Table {
  const fit = ({ level, model }: { level: string; model: string }): { level: string; model: string } => ({
    level: game.levels.some(({ name }) => name === level) ? level : game.default_level,
    model: game.models.includes(model) ? model : (game.models[0] ?? "uniform"),
  });
  const clock = CLOCKS.includes(table.clock) ? table.clock : "";
  return { ...table, ...fit(table), clock, second: table.second && fit(table.second) };
}

export function writeTable({ spot, side, level, model, second, resigned, clock, late }: Table): string {
  const other: Record<string, string> = second && side === "watch" ? { level2: second.level, model2: second.model } : {};
  const ended: Record<string, string> = { ...(resigned ? { resigned: "yes" } : {}), ...(late === null ? {} : { late: String(late) }) };
  return writeLink("play", spot, { side, level, model, ...(clock === "" ? {} : { clock }), ...other, ...ended });
}
