// Where the page starts: first the reader's language, then everything that says something.

import { render } from "preact";
import { speak, wantedLanguage } from "./language";
import "./theme.css";

void speak(wantedLanguage()).then(async () => {
  const { Root } = await import("./app");
  render(<Root />, document.getElementById("app") as HTMLElement);
});
