import type { Deps } from '../../deps.js';
import { createFlusher } from '../../jobs/index.js';
import type { IngestionWarning } from '../capture.js';
import { insertWarnings } from './store.js';

const FLUSH_MS = 500;
/** Interval in which equal warnings about the same subject are stored once. */
const REPEAT_MS = 60_000;
/** Limit of different warnings a minute; more would not help users. */
const MAX_A_MINUTE = 5_000;

/** Stores ingestion warnings in the background. */
export interface Warnings {
  add(warnings: readonly IngestionWarning[]): void;
  close(): Promise<void>;
}

export function createWarnings(deps: Deps): Warnings {
  const { clock, db } = deps;
  let seen = new Set<string>();
  let minute = 0;
  let waiting: (IngestionWarning & { at: number })[] = [];
  const background = createFlusher(deps, {
    name: 'ingestion warnings',
    delayMs: FLUSH_MS,
    flush: async () => {
      const batch = waiting;
      if (batch.length === 0) return;
      await insertWarnings(db, batch);
      waiting = waiting.slice(batch.length);
    },
  });
  return {
    add(warnings) {
      if (warnings.length === 0) return;
      const now = clock.now();
      if (Math.floor(now / REPEAT_MS) !== minute) {
        minute = Math.floor(now / REPEAT_MS);
        seen = new Set();
      }
      for (const warning of warnings) {
        const key = `${warning.projectId}:${warning.type}:${subject(warning)}`;
        if (seen.has(key) || seen.size >= MAX_A_MINUTE) continue;
        seen.add(key);
        waiting.push({ ...warning, at: now });
      }
      if (waiting.length > 0) background.wake();
    },
    close: () => background.close(),
  };
}

function subject({ details }: IngestionWarning): string {
  const { distinctId, message, event } = details;
  return JSON.stringify([distinctId ?? null, message ?? null, event ?? null]);
}
