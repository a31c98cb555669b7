import type { Scheduler } from './scheduler.js';

/** Divides long work into turns of the event loop. */
export interface Turns {
  /** Adds work that was done, or is about to be. true: the turn has had enough, and {@link next} should be awaited. */
  isOver(work: number): boolean;
  /** Resolves in a later turn. */
  next(): Promise<void>;
}

/** @param enough work of one turn, in the unit of `isOver` */
export function createTurns(scheduler: Pick<Scheduler, 'yield'>, enough: number): Turns {
  let done = 0;
  return {
    isOver: (work) => {
      done += work;
      return done >= enough;
    },
    next: async () => {
      await scheduler.yield();
      done = 0;
    },
  };
}
