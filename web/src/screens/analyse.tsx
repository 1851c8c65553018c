// Analysis of a position.

import type { JSX } from "preact";
import type { App } from "../app";

export function AnalyseScreen(_: { app: App }): JSX.Element {
  return <h1>Analyse</h1>;
}
