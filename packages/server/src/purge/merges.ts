import type { Deps } from '../deps.js';

/** Overridden distinct ids of a project from which on they are worth it to rewrite events. */
const LEAST = 1_000;

/** Writes merges of persons into the stored events, a step at a time, where the store can. */
export async function applyMerges({ events: { merges } }: Pick<Deps, 'events'>, signal?: AbortSignal): Promise<void> {
  if (!merges) return;
  for (const project of await merges.projects(LEAST)) {
    signal?.throwIfAborted();
    await merges.advance(project);
  }
}
