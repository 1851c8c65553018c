// A game against the agent.

import type { JSX } from "preact";
import type { App } from "../app";

export function PlayScreen(_: { app: App }): JSX.Element {
  return <h1>Play</h1>;
}
