// How a game ended, in the reader's language. The server's own sentence is English and may say more; of other languages
// the page writes who won, why, and the figures of that sentence.

import { language, t } from "./language";
import type { Outcome } from "./protocol";

/** "white wins", to go into a sentence. */
export function outcomeText(outcome: Outcome, players: readonly string[]): string {
  if (language() === "en") return outcome.text;
  return outcome.winner === null ? t("a draw") : t("{player} wins", { player: t(players[outcome.winner] ?? "") });
}

/** "White wins: two passes, 47 to 34.5", without a full stop. */
export function outcomeSentence(outcome: Outcome, players: readonly string[]): string {
  if (language() === "en") return outcome.sentence;
  const text = outcomeText(outcome, players);
  const figures = /\d+(?:\.\d+)? to \d+(?:\.\d+)?/.exec(outcome.sentence)?.[0].replace(" to ", " : ");
  const why = [t(outcome.reason), ...(figures === undefined ? [] : [figures])].join(", ");
  return `${text.charAt(0).toUpperCase()}${text.slice(1)} (${why})`;
}

/** A sentence with its full stop. */
export function stopped(sentence: string): string {
  return sentence + (language().startsWith("zh") ? "。" : ".");
}
