// Inside the search, one simulation at a time.

import type { JSX } from "preact";
import type { App } from "../app";

export function ExploreScreen(_: { app: App }): JSX.Element {
  return <h1>Explore</h1>;
}
