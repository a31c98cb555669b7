import type { Clock } from '../../ports/system.js';

/** The clock of the operating system. */
export const systemClock: Clock = { now: () => Date.now() };
