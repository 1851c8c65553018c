// Where the page starts.

import { render } from "preact";
import { Root } from "./app";
import "./theme.css";

render(<Root />, document.getElementById("app") as HTMLElement);
