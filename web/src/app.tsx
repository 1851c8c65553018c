// What all screens share: the games, the connection, the place (from location.hash) and the frame around a screen.
// A screen is a component that takes the App.

import { useEffect, useLayoutEffect, useMemo, useState } from "preact/hooks";
import type { FunctionComponent, JSX } from "preact";
import { Shades } from "./board/pieces";
import { Connection, type ConnectionState, http } from "./connection";
import { LANGUAGES, type Language, keepLanguage, language, rich, t } from "./language";
import { type Place, SCREENS, type Screen, type Spot, readPlace, readSpot, spotAt, writeLink } from "./link";
import type { About, BrokenGame, GameInfo } from "./protocol";
import { AnalyseScreen } from "./screens/analyse";
import { ExploreScreen } from "./screens/explore";
import { PlayScreen } from "./screens/play";
import { TrainScreen } from "./screens/train";
import { firstGame, startOf } from "./shown";
import { keep, keepHere, remember, rememberHere } from "./storage";

export interface App {
  games: GameInfo[]; // at least one
  broken: BrokenGame[];
  about: About;
  connection: Connection;
  connectionState: ConnectionState;
  place: Place;
  go: (hash: string, how?: "replace") => void; // replace: no new step for the browser's back button
  notify: (message: string) => void; // one sentence, shown for some seconds
}

export type ScreenComponent = FunctionComponent<{ app: App }>;

const COMPONENTS: Record<Screen, ScreenComponent> = {
  play: PlayScreen,
  analyse: AnalyseScreen,
  explore: ExploreScreen,
  train: TrainScreen,
};
const TITLES: Record<Screen, string> = { play: t("Play"), analyse: t("Analyse"), explore: t("Explore"), train: t("Train") };
const NOTICE_SECONDS = 6;
const RETRY_SECONDS = 1;

export function Root(): JSX.Element {
  const [loaded, setLoaded] = useState<{ games: GameInfo[]; broken: BrokenGame[]; about: About } | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const connection = useMemo(() => new Connection(`${location.protocol.replace("http", "ws")}//${location.host}/ws`), []);
  const connectionState = useConnectionState(connection);
  const [place, go, hash] = usePlace();
  const [notice, notify] = useNotice();

  useEffect(() => {
    let gone = false;
    const load = (): void => {
      Promise.all([http<(GameInfo | BrokenGame)[]>("/api/games"), http<About>("/api/about")]).then(
        ([all, about]) => {
          const games = all.filter((game): game is GameInfo => game.problem === null).map((game) => ({ ...game, title: t(game.title) }));
          const broken = all.filter((game): game is BrokenGame => game.problem !== null);
          if (!gone) setLoaded({ games, broken, about });
        },
        (error: Error) => {
          if (gone) return;
          setFailure(error.message);
          setTimeout(load, 1000 * RETRY_SECONDS);
        },
      );
    };
    load();
    return () => {
      gone = true;
    };
  }, []);

  const Component = COMPONENTS[place.screen];
  const game = place.screen === "train" ? null : place.subject;
  const wrong = loaded?.broken.find(({ name }) => name === game);
  const isMissing = game !== null && loaded !== null && !loaded.games.some(({ name }) => name === game);
  return (
    <>
      <Shades />
      <Header place={place} games={loaded?.games ?? []} />
      <main id="main" data-place={loaded ? hash : undefined /* where it is drawn */}>
        {wrong ? (
          <p class="waiting" role="alert">
            {rich("*{game}* can’t be shown.", { game: wrong.title })} {wrong.problem} <a href={`#/${place.screen}`}>{t("Other games")}</a>
          </p>
        ) : isMissing ? (
          <p class="waiting" role="alert">
            {t("The server has no game called {game}.", { game })} <a href={`#/${place.screen}`}>{t("Other games")}</a>
          </p>
        ) : loaded && loaded.games.length > 0 ? (
          <Component key={place.screen} app={{ ...loaded, connection, connectionState, place, go, notify }} />
        ) : (
          <p class="waiting">{loaded ? t("The server has no games.") : (failure ?? t("Waiting for the server …"))}</p>
        )}
      </main>
      {connectionState === "reconnecting" && (
        <div class="reconnecting" role="status">
          {t("Reconnecting to the server. Your game is safe here.")}
        </div>
      )}
      <div class="notices" aria-live="polite">
        {notice && <div class="notice">{notice}</div>}
      </div>
    </>
  );
}

function Header({ place, games }: { place: Place; games: GameInfo[] }): JSX.Element {
  const links = screenLinks(place, games);
  return (
    <header class="header">
      <a class="wordmark" href={links.play} aria-label={`tengen: ${t("Play")}`}>
        <svg viewBox="0 0 32 32" aria-hidden="true">
          <path d="M16 2v28M2 16h28" />
          <circle cx="16" cy="16" r="7.5" />
        </svg>
        tengen
      </a>
      <nav aria-label={t("Screens")}>
        {SCREENS.map((screen) => (
          <a href={links[screen]} aria-current={screen === place.screen ? "page" : undefined}>
            {TITLES[screen]}
          </a>
        ))}
      </nav>
      <LanguageSwitch />
      <ThemeSwitch />
    </header>
  );
}

/** Another language: the page is loaded anew, and since the link says where it is, nothing is lost. */
function LanguageSwitch(): JSX.Element {
  const change = (chosen: Language): void => {
    keepLanguage(chosen);
    location.reload();
  };
  return (
    <select class="language-switch" aria-label={t("Language")} value={language()} onChange={(event) => change(event.currentTarget.value as Language)}>
      {Object.entries(LANGUAGES).map(([name, title]) => (
        <option value={name} lang={name} selected={name === language()}>
          {title}
        </option>
      ))}
    </select>
  );
}

type Theme = "light" | "dark";

function ThemeSwitch(): JSX.Element {
  const system: Theme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  const [theme, setTheme] = useState<Theme>((remember("theme") as Theme | null) ?? system);
  useLayoutEffect(() => {
    document.documentElement.dataset["theme"] = theme;
  }, [theme]);
  const other: Theme = theme === "dark" ? "light" : "dark";
  const label = other === "light" ? t("Use light colours") : t("Use dark colours");
  const change = (): void => {
    keep("theme", other);
    setTheme(other);
  };
  return (
    <button type="button" class="quiet theme-switch" aria-label={label} title={label} onClick={change}>
      <svg viewBox="0 0 24 24" aria-hidden="true">
        <circle cx="12" cy="12" r="8.5" class="rim" />
        <path d="M12 3.5a8.5 8.5 0 0 1 0 17z" />
      </svg>
    </button>
  );
}

/** The place, which follows location.hash, and how to go elsewhere. */
function usePlace(): [Place, App["go"], string] {
  const [hash, setHash] = useState(location.hash);
  useLayoutEffect(() => {
    const follow = (): void => setHash(location.hash);
    addEventListener("hashchange", follow);
    addEventListener("popstate", follow);
    return () => {
      removeEventListener("hashchange", follow);
      removeEventListener("popstate", follow);
    };
  }, []);
  const place = useMemo(() => readPlace(hash), [hash]);
  useEffect(() => {
    document.title = `${TITLES[place.screen]} · tengen`;
  }, [place]);
  const go = useMemo(
    () => (to: string, how?: "replace") => {
      if (how === "replace") history.replaceState(null, "", to);
      else if (to !== location.hash) history.pushState(null, "", to);
      setHash(location.hash);
    },
    [],
  );
  return [place, go, hash];
}

/** Where the screens are reached: Play, Analyse and Explore with the game that is shown, each with its own settings.
    All of it is this tab's: another tab has its own game. */
function screenLinks(place: Place, games: GameInfo[]): Record<Screen, string> {
  if (place.screen === "train") {
    if (place.subject !== null) keepHere("run", place.subject);
  } else if (games.length > 0) {
    const here = readSpot(place, games) ?? spotAt(startOf(firstGame(games, place.screen)));
    const settings = Object.fromEntries(
      Object.entries(place.query).filter(([name]) => !SPOT_FIELDS.has(name) && !(name in here.position.options)),
    );
    keepHere(`settings.${place.screen}`, JSON.stringify({ game: keyOf(here), settings }));
    keepHere("spot", JSON.stringify(here));
  }
  const spot = readJson(rememberHere("spot")) as Spot | null;
  const link = (screen: Screen): string => {
    if (!spot) return `#/${screen}`;
    const kept = readJson(rememberHere(`settings.${screen}`)) as { game: string; settings: Record<string, string> } | null;
    return writeLink(screen, spot, kept?.game === keyOf(spot) ? kept.settings : {});
  };
  const run = rememberHere("run");
  const train = run === null ? "#/train" : `#/train/${encodeURIComponent(run)}`;
  return { play: link("play"), analyse: link("analyse"), explore: link("explore"), train };
}

const SPOT_FIELDS = new Set(["start", "moves", "at", "id"]);

function keyOf({ position, line }: Spot): string {
  return JSON.stringify([position.game, position.options, position.start ?? "", line]);
}

function readJson(text: string | null): unknown {
  try {
    return text === null ? null : JSON.parse(text);
  } catch {
    return null;
  }
}

function useConnectionState(connection: Connection): ConnectionState {
  const [state, setState] = useState(connection.state);
  useEffect(() => connection.listen(setState), [connection]);
  return state;
}

function useNotice(): [string | null, (message: string) => void] {
  const [notice, setNotice] = useState<{ message: string } | null>(null);
  useEffect(() => {
    if (notice === null) return;
    const timer = setTimeout(() => setNotice(null), 1000 * NOTICE_SECONDS);
    return () => clearTimeout(timer);
  }, [notice]);
  const notify = useMemo(() => (message: string) => setNotice({ message }), []);
  return [notice?.message ?? null, notify];
}
