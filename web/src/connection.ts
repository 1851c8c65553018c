// One WebSocket for the whole page. A request is a promise of its last answer; answers on the way go to `onAnswer`.
// When the connection breaks, it is opened again, less and less eagerly, and what was under way is asked again: the
// server keeps no games, so the question says all there is to know. Only an explorer lives in the connection; its steps
// fail with `connection lost`, and the page opens a new one.

import { errorText } from "./errors";
import { t } from "./language";
import type { Requests } from "./protocol";

export type ConnectionState = "connecting" | "open" | "reconnecting";

/** An answer of type `error`, from the socket or from HTTP; in the reader's language where the page knows its kind. */
export class ServerError extends Error {
  constructor(
    readonly kind: string,
    message: string,
  ) {
    super(errorText(kind, message));
  }
}

export const CONNECTION_LOST = "ConnectionLost";

export interface Request<T> {
  id: number;
  answer: Promise<T>; // the last one
  stop: () => void; // the search then ends with what it has
  drop: () => void; // stop, and hear no more of it: the promise stays open forever
}

interface Pending {
  message: string;
  again: boolean; // may be asked again in a new connection
  onAnswer: ((answer: never) => void) | undefined;
  resolve: (answer: never) => void;
  reject: (error: Error) => void;
}

const FIRST_DELAY = 250; // milliseconds until the first try to reconnect; doubled each time
const LONGEST_DELAY = 4000;
const BOUND_TO_CONNECTION = new Set(["step", "close", "stop"]);

export class Connection {
  state: ConnectionState = "connecting";
  private socket: WebSocket | null = null;
  private pending = new Map<number, Pending>();
  private lastId = 0;
  private delay = FIRST_DELAY;
  private timer: number | undefined;
  private listeners = new Set<(state: ConnectionState) => void>();

  constructor(private readonly address: string) {
    this.open();
    window.addEventListener("online", () => this.openNow());
    document.addEventListener("visibilitychange", () => document.hidden || this.openNow());
  }

  /** Hears of every change of `state`; returns how to stop hearing. */
  listen(listener: (state: ConnectionState) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  request<K extends keyof Requests>(
    type: K,
    fields: Requests[K]["fields"],
    onAnswer?: (answer: Requests[K]["answer"]) => void,
  ): Request<Requests[K]["answer"]> {
    const id = ++this.lastId;
    const message = JSON.stringify({ type, id, ...fields });
    const again = !BOUND_TO_CONNECTION.has(type);
    const answer = new Promise<Requests[K]["answer"]>((resolve, reject) => {
      this.pending.set(id, { message, again, onAnswer, resolve, reject });
    });
    if (this.state === "open") this.socket?.send(message);
    else if (!again) this.fail(id);
    const stop = (): void => {
      if (this.pending.has(id)) this.request("stop", { target: id }).answer.catch(() => undefined);
    };
    const drop = (): void => {
      stop();
      this.pending.delete(id);
    };
    return { id, answer, stop, drop };
  }

  private open(): void {
    const socket = new WebSocket(this.address);
    this.socket = socket;
    socket.onopen = () => {
      this.delay = FIRST_DELAY;
      this.setState("open");
      for (const { message } of this.pending.values()) socket.send(message);
    };
    socket.onmessage = (event) => this.hear(JSON.parse(event.data as string));
    socket.onclose = () => this.lost();
  }

  private openNow(): void {
    if (this.timer === undefined) return;
    clearTimeout(this.timer);
    this.timer = undefined;
    this.open();
  }

  private lost(): void {
    this.socket = null;
    this.setState("reconnecting");
    for (const [id, { again }] of this.pending) if (!again) this.fail(id);
    this.timer = window.setTimeout(() => this.openNow(), this.delay);
    this.delay = Math.min(2 * this.delay, LONGEST_DELAY);
  }

  private fail(id: number): void {
    this.pending.get(id)?.reject(new ServerError(CONNECTION_LOST, t("The connection to the server was lost.")));
    this.pending.delete(id);
  }

  private hear(answer: { type: string; re?: number; final?: boolean; error?: string; message?: string }): void {
    const pending = answer.re === undefined ? undefined : this.pending.get(answer.re);
    if (pending === undefined) return; // of a request that was dropped
    if (answer.type === "error") {
      this.pending.delete(answer.re as number);
      pending.reject(new ServerError(answer.error ?? "Error", answer.message ?? t("The server could not answer.")));
      return;
    }
    pending.onAnswer?.(answer as never);
    if (answer.type === "analysis" && answer.final === false) return;
    this.pending.delete(answer.re as number);
    pending.resolve(answer as never);
  }

  private setState(state: ConnectionState): void {
    this.state = state;
    for (const listener of this.listeners) listener(state);
  }
}

/** Asks over HTTP; a body makes it a POST. ServerError when the server says no. */
export async function http<T>(path: string, body?: unknown): Promise<T> {
  const asked: RequestInit | undefined =
    body === undefined
      ? undefined
      : { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
  const response = await fetch(path, asked);
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) {
    throw new ServerError(answer.error ?? String(response.status), answer.message ?? t("The server could not answer."));
  }
  return answer as T;
}
