import { Counter, Gauge } from 'prom-client';
import type { Deps } from '../deps.js';

export type RunResult = 'ok' | 'failed' | 'stopped';

/** Counts the runs of background work by kind. */
export interface RunMetrics {
  /** Counts the start of a run. @returns counts its end */
  start(kind: string): (result: RunResult) => void;
}

export function createRunMetrics({ metrics, clock, scheduler }: Pick<Deps, 'metrics' | 'clock' | 'scheduler'>): RunMetrics {
  const registers = [metrics];
  const runs = new Counter({
    name: 'tidemark_background_runs_total',
    help: 'Runs of background work by kind and result; stopped: given to another server, or to the next start',
    labelNames: ['kind', 'result'],
    registers,
  });
  const seconds = new Counter({
    name: 'tidemark_background_seconds_total',
    help: 'Time that background work took, by kind',
    labelNames: ['kind'],
    registers,
  });
  const lastSuccess = new Gauge({
    name: 'tidemark_background_last_success_timestamp_seconds',
    help: 'When background work last succeeded on this server, by kind',
    labelNames: ['kind'],
    registers,
  });
  return {
    start(kind) {
      const begun = scheduler.uptime();
      return (result) => {
        runs.inc({ kind, result });
        seconds.inc({ kind }, (scheduler.uptime() - begun) / 1000);
        if (result === 'ok') lastSuccess.set({ kind }, clock.now() / 1000);
      };
    },
  };
}
