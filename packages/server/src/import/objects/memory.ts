import { isObject } from '../../kernel/json.js';
import type { ImportReport } from '../report.js';
import type { Target } from '../target.js';
import { isUnavailable } from './object-source.js';

/** What the target remembers of earlier imports from the same source, whatever people have changed about its objects since. */
export interface ImportMemory {
  /** Ids in the target by id in the source. */
  of(kind: string): Promise<ReadonlyMap<string, string>>;
  /** Notes an object; it is sent with the next {@link save}. */
  note(kind: string, sourceId: string, targetId: number | string): void;
  /** Sends what was noted. */
  save(): Promise<void>;
}

const PAGE = 500;

/**
 * The memory of a target about a source.
 * @param source UUID of the project that the objects come from; null: it has none, so nothing is remembered
 * @param isDryRun nothing is sent
 */
export function createMemory(target: Target, source: string | null, report: ImportReport, isDryRun: boolean): ImportMemory {
  const path = `${target.api}/imported_objects/`;
  let isOff = source === null;
  let noted: { kind: string; source_id: string; target_id: string }[] = [];
  const known = new Map<string, Map<string, string>>();

  /** Whether the work was done. An older Tidemark, and a key for less than the project's settings, do not remember. */
  async function attempt(work: () => Promise<void>): Promise<void> {
    if (isOff) return;
    try {
      await work();
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      isOff = true;
      report.note(`The target does not remember what was imported (${error.message}): keep the state file for further runs.`);
    }
  }

  return {
    async of(kind) {
      const found = new Map<string, string>();
      known.set(kind, found);
      await attempt(async () => {
        for (let offset = 0; ; ) {
          const query = `source=${encodeURIComponent(source ?? '')}&kind=${kind}&limit=${PAGE}&offset=${offset}`;
          const page = await target.client.request('GET', `${path}?${query}`);
          const results = isObject(page) && Array.isArray(page['results']) ? page['results'].filter(isObject) : [];
          for (const { source_id, target_id } of results) found.set(String(source_id), String(target_id));
          offset += results.length;
          if (results.length === 0 || (isObject(page) && !page['next'])) return;
        }
      });
      return found;
    },
    note(kind, sourceId, targetId) {
      const ofKind = known.get(kind);
      if (ofKind?.get(sourceId) === String(targetId)) return;
      ofKind?.set(sourceId, String(targetId));
      noted.push({ kind, source_id: sourceId, target_id: String(targetId) });
    },
    async save() {
      const objects = noted;
      noted = [];
      if (isDryRun) return;
      for (let at = 0; at < objects.length; at += PAGE) {
        await attempt(async () => {
          await target.client.request('POST', path, { source, objects: objects.slice(at, at + PAGE) });
        });
      }
    },
  };
}
