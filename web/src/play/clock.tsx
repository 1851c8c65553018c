// Clocks, for those who want them: both players have some minutes for the whole game, and some seconds more for each move.
// They begin with the first move. What is left is kept in this tab, so that a reload does not stop the time.

import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import { StoneIcon } from "../board/pieces";
import { capital } from "../controls";
import { t } from "../language";
import type { BoardShape, Player } from "../protocol";
import { keepHere, rememberHere } from "../storage";

/** "300+2": seconds for the game, and more for each move. "": no clock. */
export const CLOCKS = ["", "60+0", "180+2", "300+0", "600+5", "1800+20"];
const TICK = 100; // milliseconds

interface Kept {
  setting: string;
  moves: number; // that were made
  left: [number, number]; // milliseconds, when the last of them was made
  since: number; // when that was, in milliseconds since 1970
  toMove: Player | null; // since then; a player may move twice in a row
}

export interface Clock {
  left: [number, number]; // milliseconds, now
  running: Player | null;
}

export function clockText(setting: string): string {
  if (setting === "") return t("No clock");
  const [seconds, more] = numbersOf(setting);
  const minutes = t("{n} min", { n: seconds / 60 });
  return more === 0 ? minutes : t("{minutes} + {n} s a move", { minutes, n: more });
}

/** `game` names what the clock is of; `toMove` null: the time stands still. `onLate` hears who has no time left. */
export function useClock(setting: string, game: string, moves: number, toMove: Player | null, onLate: (player: Player) => void): Clock | null {
  const [, redraw] = useState(0);
  const name = `clock.${game}`;
  const running = setting !== "" && moves > 0 ? toMove : null;
  const kept = setting === "" ? null : advanced(read(name, setting, moves), moves, toMove);
  useLayoutEffect(() => {
    if (kept) keepHere(name, JSON.stringify(kept));
  }, [name, setting, moves, toMove]);
  const left = kept ? leftNow(kept, running) : null;
  useEffect(() => {
    if (running === null || !left) return undefined;
    if (left[running] <= 0) return void onLate(running);
    const timer = setTimeout(() => redraw((count) => count + 1), Math.min(TICK, left[running]));
    return () => clearTimeout(timer);
  });
  return left && { left, running };
}

/** Full again, for a game that goes on after its time was up. */
export function resetClock(game: string): void {
  keepHere(`clock.${game}`, "");
}

function read(name: string, setting: string, moves: number): Kept {
  try {
    const kept = JSON.parse(rememberHere(name) ?? "") as Kept;
    if (kept.setting === setting) return kept;
  } catch {
    // none was kept
  }
  return full(setting, moves);
}

function full(setting: string, moves: number): Kept {
  const [seconds] = numbersOf(setting);
  return { setting, moves, left: [1000 * seconds, 1000 * seconds], since: Date.now(), toMove: null };
}

/** After a move its maker's time is less, and more by the addition; moves taken back cost nothing. */
function advanced(kept: Kept, moves: number, toMove: Player | null): Kept {
  if (kept.moves === moves) return toMove === null ? kept : { ...kept, toMove };
  const [, more] = numbersOf(kept.setting);
  if (moves === 0) return full(kept.setting, moves);
  const mover = kept.toMove;
  if (moves !== kept.moves + 1 || kept.moves === 0 || mover === null) return { ...kept, moves, since: Date.now(), toMove };
  const left = leftNow(kept, mover);
  left[mover] += 1000 * more;
  return { ...kept, moves, left, since: Date.now(), toMove };
}

function leftNow({ left, since }: Kept, running: Player | null): [number, number] {
  const spent = (player: Player): number => (player === running ? Date.now() - since : 0);
  return [Math.max(0, left[0] - spent(0)), Math.max(0, left[1] - spent(1))];
}

function numbersOf(setting: string): [number, number] {
  const [seconds = 0, more = 0] = setting.split("+").map(Number);
  return [seconds, more];
}

/** 4:05, and tenths in the last ten seconds. */
function timeText(milliseconds: number): string {
  if (milliseconds < 10_000) return `0:0${(Math.floor(milliseconds / 100) / 10).toFixed(1)}`;
  const seconds = Math.ceil(milliseconds / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

export function Clocks({ board, clock }: { board: BoardShape; clock: Clock }): JSX.Element {
  return (
    <div class="clocks number" role="group" aria-label={t("Clocks")}>
      {([0, 1] as const).map((player) => (
        <span role="timer" class={clock.running === player ? "clock is-running" : "clock"} data-clock={player} aria-label={t("Time of {player}", { player: capital(board.players[player]) })}>
          <StoneIcon board={board} player={player} /> <b>{timeText(clock.left[player])}</b>
        </span>
      ))}
    </div>
  );
}
