import type { Clock } from '../../ports/system.js';

/** The machine's clock. */
export const systemClock: Clock = { now: () => Date.now() };
