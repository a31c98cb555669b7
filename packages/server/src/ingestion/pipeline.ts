import type { Draft, Drop, Stage, StageEnv } from './stages/index.js';

/** Every so many events one is timed: a clock read per stage would cost more than most stages. */
const TIMED_EVERY = 256;

/** What the pipeline tells about itself. */
export interface PipelineObserver {
  /** A stage took so long for one event; sampled. */
  timed(stage: string, seconds: number): void;
}

/**
 * Makes the function that takes an event through the stages. It answers with why the event ended on the way, or
 * undefined; events split off it went the rest of the way and are in `draft.split`.
 */
export function createPipeline(
  stages: readonly Stage[],
  env: StageEnv,
  observer: PipelineObserver,
): (draft: Draft) => Drop | undefined {
  let count = 0;

  const runFrom = (draft: Draft, first: number, step: (stage: Stage, draft: Draft) => Drop | undefined): Drop | undefined => {
    for (let i = first; i < stages.length; i++) {
      const stage = stages[i];
      if (!stage) continue;
      const splitBefore = draft.split.length;
      const drop = step(stage, draft);
      if (drop) return drop;
      for (let s = splitBefore; s < draft.split.length; s++) {
        const split = draft.split[s];
        if (split) runFrom(split, i + 1, step);
      }
    }
    return undefined;
  };

  const plain = (stage: Stage, draft: Draft) => stage.run(draft, env);
  const timed = (stage: Stage, draft: Draft) => {
    const start = performance.now();
    const drop = stage.run(draft, env);
    observer.timed(stage.name, (performance.now() - start) / 1000);
    return drop;
  };

  return (draft) => runFrom(draft, 0, ++count % TIMED_EVERY === 0 ? timed : plain);
}
