// By how much the agent's network expects the game to end, as its newest search had it. Where it has not searched yet, as
// after a reload, the network is asked about the position once.

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { App } from "../app";
import { UNTRAINED } from "../controls";
import { t } from "../language";
import type { Analysis, BoardShape, Position } from "../protocol";
import { positionKey } from "../shown";
import { firstLead, leadText } from "../value_bar";

const MOST_KEPT = 2000;
const leads = new Map<string, number | null>(); // of the first player, by model and position; null: the network has no idea

export function keepLead(model: string, position: Position, analysis: Analysis): void {
  if (leads.size >= MOST_KEPT) leads.clear();
  leads.set(keyOf(model, position), firstLead(analysis));
}

/** Of this position or, where the agent did not search it, of the one before it or before that. `asks`: the agent is not about to search it. */
export function Lead(props: { app: App; board: BoardShape; position: Position; model: string; asks: boolean }): JSX.Element | null {
  const { app, board, position, model } = props;
  const [, redraw] = useState(0);
  const lead = knownLead(model, position);
  const wanted = props.asks && lead === undefined && board.score_name !== "" && !UNTRAINED.has(model);
  useEffect(() => {
    if (!wanted) return undefined;
    const request = app.connection.request("analyse", { position, model, simulations: 1 });
    request.answer.then(
      (analysis) => {
        keepLead(model, position, analysis);
        redraw((count) => count + 1);
      },
      () => undefined, // then it is not shown
    );
    return () => request.drop();
  }, [wanted, keyOf(model, position)]);
  if (lead === null || board.score_name === "" || UNTRAINED.has(model)) return null;
  if (lead === undefined) return <span class="lead small">&nbsp;</span>; // there is room for it, so that nothing jumps
  return (
    <span class="lead soft small number" data-lead={lead} title={t("What the agent expects at the end of the game")}>
      {leadText(board, lead)}
    </span>
  );
}

function knownLead(model: string, position: Position): number | null | undefined {
  const count = position.moves.length;
  return [count, count - 1, count - 2]
    .filter((length) => length >= 0)
    .map((length) => leads.get(keyOf(model, { ...position, moves: position.moves.slice(0, length) })))
    .find((known) => known !== undefined);
}

function keyOf(model: string, position: Position): string {
  return `${model} ${positionKey(position)}`;
}
