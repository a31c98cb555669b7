import { isObject, type Json, type JsonObject } from '../../kernel/json.js';
import { Refusal } from '../http-client.js';
import type { ObjectImport } from './create-objects.js';

/** Entries of a request, and characters of JSON in it. */
const MAX_ENTRIES = 200;
const MAX_CHARACTERS = 1024 * 1024;

/**
 * Imports what people did to flags. The log of the target marks each entry as imported, with its author as text and with who imported it when. Doing
 * it again changes nothing, so the state does not list entries.
 */
export async function importFlagHistory(importing: ObjectImport): Promise<void> {
  const { source, state, report, isDryRun } = importing;
  let flag: number | string | null = null;
  let entries: JsonObject[] = [];
  let characters = 0;
  const flush = async () => {
    if (flag !== null && entries.length > 0) await send(flag, entries, importing);
    entries = [];
    characters = 0;
  };
  for await (const entry of source.list('flag_history')) {
    const id = state.data.ids['feature_flags']?.[String(entry['item_id'])];
    const made = importedEntry(entry);
    if (id === undefined) {
      report.count('flag_history', 'skipped', 1, 'its flag was not imported', nameOf(entry));
      continue;
    }
    if (isDryRun) {
      report.count('flag_history', 'imported');
      continue;
    }
    const length = JSON.stringify(made).length;
    if (id !== flag || entries.length >= MAX_ENTRIES || characters + length > MAX_CHARACTERS) await flush();
    flag = id;
    entries.push(made);
    characters += length;
  }
  await flush();
}

async function send(
  flag: number | string,
  entries: readonly JsonObject[],
  { target: { client, api }, report }: ObjectImport,
): Promise<void> {
  try {
    const answer = await client.request('POST', `${api}/feature_flags/${flag}/activity/`, { entries: [...entries] });
    const present = isObject(answer) ? Number(answer['present']) : 0;
    if (present > 0) report.count('flag_history', 'present', present);
    if (entries.length > present) report.count('flag_history', 'imported', entries.length - present);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const name = String(entries[0]?.['name']);
    report.count('flag_history', 'skipped', entries.length, `the target refuses it: ${error.message}`, name);
  }
}

const nameOf = (entry: JsonObject): string => `${entry['flag']} ${entry['activity']} at ${entry['created_at']}`;

/** An entry of the source in the form that the target takes. */
function importedEntry(entry: JsonObject): JsonObject {
  const { activity, created_at, flag } = entry;
  const detail = isObject(entry['detail']) ? entry['detail'] : {};
  const changes = Array.isArray(detail['changes']) ? detail['changes'].filter(isObject) : [];
  return {
    id: String(entry['id'] ?? JSON.stringify([created_at, activity, changes])).slice(0, 400),
    author: authorOf(entry),
    activity: String(activity),
    created_at: created_at ?? null,
    name: typeof detail['name'] === 'string' ? detail['name'] : (flag ?? null),
    changes: changes.map(({ type, action, field, before, after }) => ({
      action: action === 'created' || action === 'deleted' ? action : 'changed',
      field: typeof field === 'string' && field !== '' ? field : String(type),
      before: before ?? null,
      after: after ?? null,
    })),
  };
}

/** Who did it, as text. An entry that the source imported itself has an author there. */
function authorOf({ user, imported }: JsonObject): Json {
  if (isObject(user)) return user['email'] ?? user['first_name'] ?? null;
  return isObject(imported) ? (imported['author'] ?? null) : null;
}
