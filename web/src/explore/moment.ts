// How far the showing of a simulation has come, and what comes before and after.

import { LAST_STAGE } from "./words";

/** In the first stage, how deep. */
export interface Moment {
  stage: number;
  depth: number;
}

export const SHOWN_WHOLE: Moment = { stage: LAST_STAGE, depth: 0 };

/** The stage after this one; the first has a moment for every move of the path. */
export function following({ stage, depth }: Moment, longest: number): Moment {
  if (stage === 0 && depth + 1 < longest) return { stage: 0, depth: depth + 1 };
  return { stage: Math.min(LAST_STAGE, stage + 1), depth: 0 };
}

export function preceding({ stage, depth }: Moment, longest: number): Moment {
  if (stage === 0) return { stage: 0, depth: Math.max(0, depth - 1) };
  return stage === 1 ? { stage: 0, depth: Math.max(0, longest - 1) } : { stage: stage - 1, depth: 0 };
}
