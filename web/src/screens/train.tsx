// Training runs: live curves, findings, newest games.

import type { JSX } from "preact";
import type { App } from "../app";

export function TrainScreen(_: { app: App }): JSX.Element {
  return <h1>Train</h1>;
}
