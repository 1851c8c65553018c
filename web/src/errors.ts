// What the server refuses, in the reader's language: a sentence for each kind of error that a visitor can cause, and the
// server's own, which has the details, in brackets.

import { language, t } from "./language";

export function errorText(kind: string, message: string): string {
  const said = KINDS[kind];
  return language() === "en" || said === undefined ? message : `${said()} (${message})`;
}

const KINDS: Record<string, (() => string) | undefined> = {
  ActionTextError: () => t("The game knows no such move."),
  BoardTextError: () => t("This board can’t be read."),
  GameOptionError: () => t("The game can’t be played with these options."),
  IllegalActionError: () => t("This move is not allowed here."),
  MessageTooLargeError: () => t("That is more than the server takes at once."),
  RecordError: () => t("This game record can’t be read."),
  RunStateError: () => t("The run is not in a state for that."),
  SearchParamError: () => t("The search can’t be done with these settings."),
  TokenError: () => t("Open the page by the link that the server printed."),
  TooManyConnectionsError: () => t("The server has as many visitors as it takes."),
  TooManyExplorersError: () => t("This page has too many explorers open."),
  TooManyRequestsError: () => t("The page asked too much at once; try again in a moment."),
  TreesFullError: () => t("The search trees take as much memory as the server gives them."),
  UnknownGameError: () => t("The server has no such game."),
  UnknownModelError: () => t("There is no such network for this game."),
  UnknownRunError: () => t("There is no such run."),
};
