// A search on the server that is stepped from here, as a hook. What it did in its last simulation is kept, and the tree
// as it was before that, so that the page can show the simulation stage by stage.
// An explorer dies with its connection; since a search depends only on its setting and its seed, it is then opened again
// and brought to where it was.

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { CONNECTION_LOST, type Connection, ServerError } from "../connection";
import type { ExplorerParams, Position, Trace, Tree } from "../protocol";

export interface Setting {
  position: Position;
  model: string;
  params: ExplorerParams;
  seed: number;
}

export interface SearchView {
  setting: Setting | null; // that the rest is about
  simulations: number; // done so far
  trace: Trace | null; // of the last one
  before: Tree; // as it was before the last one
  tree: Tree;
  finished: boolean;
  isBusy: boolean;
  error: string | null;
}

const MOST_STEPS = 100; // in one message
const EMPTY: Tree = { nodes: [], nodes_total: 0 };
const NOTHING: SearchView = {
  setting: null,
  simulations: 0,
  trace: null,
  before: EMPTY,
  tree: EMPTY,
  finished: false,
  isBusy: true,
  error: null,
};

/** One explorer at a time; everything asked of it happens in the order it was asked. */
class Search {
  view = NOTHING;
  private explorer: number | null = null;
  private queue: Promise<void>;
  private isClosed = false;
  wanted: number; // simulations, when all that was asked is done
  isWhole = false; // the tree comes with all of its nodes
  private readonly unlisten: () => void;

  constructor(
    private readonly connection: Connection,
    private readonly setting: Setting,
    private readonly changed: (view: SearchView) => void,
    simulations: number,
    before: Promise<void>, // the search that this one takes the place of, closed
  ) {
    this.wanted = simulations;
    this.unlisten = connection.listen((state) => {
      if (state !== "open") this.explorer = null;
    });
    this.queue = before.then(() => this.goTo(simulations));
  }

  step(count: number): Promise<void> {
    const wanted = (this.wanted = this.wanted + count);
    this.queue = this.queue.then(() => this.goTo(wanted));
    return this.queue;
  }

  /** The tree with all of its nodes, or only with the most visited. */
  drawWhole(isWhole: boolean): void {
    this.isWhole = isWhole;
    this.queue = this.queue.then(async () => {
      if (this.isClosed || this.explorer === null) return;
      const { tree } = await this.connection.request("step", { explorer: this.explorer, count: 0, whole: isWhole }).answer;
      this.show({ tree });
    }, ignore);
  }

  /** Until then the server counts it: a page may have only so many open. */
  async close(): Promise<void> {
    this.isClosed = true;
    this.unlisten();
    await this.queue.catch(ignore);
    if (this.explorer !== null) await this.connection.request("close", { explorer: this.explorer }).answer.catch(ignore);
  }

  private async open(): Promise<void> {
    const opened = await this.connection.request("explore", { ...this.setting }).answer;
    this.explorer = opened.explorer;
    this.view = { ...NOTHING, setting: this.setting, tree: opened.tree, finished: opened.finished };
  }

  /** On the way to where it was before, the tree of before stays in sight. */
  private async stepTo(simulations: number, isComingBack: boolean): Promise<void> {
    const show = (change: Partial<SearchView>): void => this.show(change, isComingBack && this.view.simulations < simulations);
    this.show({ isBusy: true }, isComingBack);
    while (!this.isClosed && !this.view.finished && this.view.simulations < simulations) {
      // A trace belongs to the tree just before it: the last step of many is taken alone.
      const missing = simulations - this.view.simulations;
      const count = missing === 1 ? 1 : Math.min(MOST_STEPS, missing - 1);
      const answer = await this.connection.request("step", { explorer: this.explorer!, count, last: true, whole: this.isWhole && missing === 1 }).answer;
      show({
        simulations: answer.simulations,
        trace: answer.traces.at(-1) ?? this.view.trace,
        before: this.view.tree,
        tree: answer.tree,
        finished: answer.finished,
      });
    }
    if (this.view.finished) this.wanted = this.view.simulations;
    this.show({ isBusy: false });
  }

  /** Opens the explorer if it is not there, or not any more, and steps to so many simulations. */
  private async goTo(simulations: number): Promise<void> {
    while (!this.isClosed) {
      try {
        const isNew = this.explorer === null;
        if (isNew) await this.open();
        return await this.stepTo(simulations, isNew && simulations > 0);
      } catch (error) {
        this.explorer = null;
        if (error instanceof ServerError && error.kind === CONNECTION_LOST) continue;
        return this.show({ isBusy: false, error: error instanceof Error ? error.message : String(error) });
      }
    }
  }

  private show(change: Partial<SearchView>, isQuiet = false): void {
    if (this.isClosed) return;
    this.view = { ...this.view, ...change };
    if (!isQuiet) this.changed(this.view);
  }
}

/** `setting` null: no search. A new setting starts anew; `restart` does too, and goes to so many simulations at once. */
export function useSearch(
  connection: Connection,
  setting: Setting | null,
  isWhole: boolean,
): { view: SearchView; step: (count: number) => Promise<void>; restart: (simulations: number) => void; wanted: () => number } {
  const [view, setView] = useState(NOTHING);
  const [round, setRound] = useState({ number: 0, simulations: 0 });
  const lastRound = useRef(0);
  const closed = useRef(Promise.resolve());
  const search = useRef<Search | null>(null);
  const key = JSON.stringify(setting);
  useLayoutEffect(() => {
    if (setting === null) {
      setView(NOTHING);
      return undefined;
    }
    setView((now) => ({ ...now, isBusy: true })); // what is shown until the new one has begun
    const simulations = round.number === lastRound.current ? 0 : round.simulations;
    lastRound.current = round.number;
    const started = new Search(connection, setting, setView, simulations, closed.current);
    started.isWhole = isWhole;
    search.current = started;
    return () => {
      closed.current = started.close();
      search.current = null;
    };
  }, [connection, key, round.number]);
  useEffect(() => {
    if (search.current && search.current.isWhole !== isWhole) search.current.drawWhole(isWhole);
  }, [isWhole]);
  return {
    view,
    wanted: () => search.current?.wanted ?? 0,
    step: (count) => search.current?.step(count) ?? Promise.resolve(),
    restart: (simulations) => setRound((now) => ({ number: now.number + 1, simulations })),
  };
}

function ignore(): void {}
