import type { EventContext, Rejection, Stage, StageEnv } from './stages/index.js';

/** One in so many events is timed: reading the clock costs more than most stages. */
const TIMED_EVERY = 256;

/** Receives measurements of the pipeline. */
export interface PipelineObserver {
  /** Duration of one stage for one event; sampled. */
  timed(stage: string, seconds: number): void;
}

/**
 * Creates the function that runs all stages on an event. It returns the rejection of a stage, or undefined. Derived events have passed the
 * remaining stages and are in `context.derived`.
 */
export function createPipeline(
  stages: readonly Stage[],
  env: StageEnv,
  observer: PipelineObserver,
): (context: EventContext) => Rejection | undefined {
  let count = 0;

  const runFrom = (
    context: EventContext,
    first: number,
    step: (stage: Stage, context: EventContext) => Rejection | undefined,
  ): Rejection | undefined => {
    for (let i = first; i < stages.length; i++) {
      const stage = stages[i];
      if (!stage) continue;
      const derivedBefore = context.derived.length;
      const rejection = step(stage, context);
      if (rejection) return rejection;
      for (let s = derivedBefore; s < context.derived.length; s++) {
        const derived = context.derived[s];
        if (derived) runFrom(derived, i + 1, step);
      }
    }
    return undefined;
  };

  const plain = (stage: Stage, context: EventContext) => stage.run(context, env);
  const timed = (stage: Stage, context: EventContext) => {
    const start = performance.now();
    const rejection = stage.run(context, env);
    observer.timed(stage.name, (performance.now() - start) / 1000);
    return rejection;
  };

  return (context) => runFrom(context, 0, ++count % TIMED_EVERY === 0 ? timed : plain);
}
