import { isObject, type Json, type JsonObject } from '../../kernel/json.js';
import type { Scheduler } from '../../kernel/scheduler.js';
import { Refusal } from '../http-client.js';
import { ImportError } from '../import-error.js';
import type { ImportReport } from '../report.js';
import { type ImportState, idsOfKind } from '../state.js';
import type { Target } from '../target.js';
import type { CreatedKind } from './bodies.js';
import type { ImportMemory } from './memory.js';
import type { ObjectSource } from './object-source.js';
import { type IdMaps, mapReferences } from './references.js';
import { isSame } from './same-content.js';

/** What every import of objects needs. */
export interface ObjectImport {
  source: ObjectSource;
  target: Target;
  state: ImportState;
  /** What the target remembers of earlier runs, also those whose state is lost. */
  memory: ImportMemory;
  report: ImportReport;
  isDryRun: boolean;
  scheduler: Scheduler;
}

/** The ids in the target that a state knows. */
const idsOf = ({ data }: ImportState): IdMaps => ({ of: (kind, id) => data.ids[kind]?.[String(id)] });

/** Ids that stand for objects which a dry run would have created. */
const NOT_CREATED = 0;

/**
 * Creates the objects of a kind that the state does not know. Objects that refer to others of their kind come after them.
 * @throws ImportError the target does not answer, or the key may not write
 */
export async function createObjects(kind: CreatedKind, importing: ObjectImport): Promise<void> {
  const { source, state, memory, report } = importing;
  const existing = await existingOf(kind, importing.target, Object.values(idsOfKind(state, kind.kind)));
  await adoptRemembered(kind, existing, importing);
  let waiting: JsonObject[] = [];
  for await (const object of source.list(kind.kind)) waiting.push(object);
  // lists have the newest first, and references point to older objects
  waiting.sort((a, b) => Number(a['id']) - Number(b['id']) || 0);
  for (let isLast = false; waiting.length > 0; ) {
    const own = new Set(waiting.map(({ id }) => String(id)));
    const later: JsonObject[] = [];
    for (const object of waiting) {
      const mapped = mapReferences(picked(object, [...kind.fields, ...(kind.sources ?? [])]), idsOf(state));
      const waitsForOthers = mapped.missing.some((reference) => own.has(reference.split(' ')[1] ?? ''));
      if (waitsForOthers && !isLast) later.push(object);
      else await createObject(kind, object, mapped, existing, importing);
    }
    isLast = later.length === waiting.length;
    waiting = later;
  }
  for (const [id, made] of Object.entries(idsOfKind(state, kind.kind)))
    if (made !== NOT_CREATED) memory.note(kind.kind, id, made);
  await memory.save();
  if (importing.isDryRun) report.note('A dry run does not ask the target, which may refuse objects.');
}

/** Takes over what earlier runs made, whatever people have changed about it since. What is gone from the target is made again. */
async function adoptRemembered(
  { kind, path }: CreatedKind,
  { objects, taken }: Existing,
  { target: { client, api }, state, memory }: ObjectImport,
): Promise<void> {
  const ids = idsOfKind(state, kind);
  const listed = new Map(objects.map((object) => [String(object['id']), idIn(object)]));
  for (const [id, made] of await memory.of(kind)) {
    if (ids[id] !== undefined) continue;
    const found = listed.get(made) ?? (await idOfLive(client.request('GET', `${api}/${path}${encodeURIComponent(made)}/`)));
    if (found === null) continue;
    ids[id] = found;
    taken.add(found);
  }
}

/** The id of an object that lists do not show; null: it is gone. */
async function idOfLive(response: Promise<Json>): Promise<number | string | null> {
  try {
    const object = await response;
    return isObject(object) && object['deleted'] !== true ? idIn(object) : null;
  } catch (error) {
    if (error instanceof Refusal && error.status === 404) return null;
    throw error;
  }
}

async function createObject(
  kind: CreatedKind,
  object: JsonObject,
  mapped: { value: JsonObject; missing: string[] },
  existing: Existing,
  { target, state, report, isDryRun }: ObjectImport,
): Promise<void> {
  const ids = idsOfKind(state, kind.kind);
  const [id, name] = [String(object['id']), nameOf(object)];
  if (ids[id] !== undefined) return report.count(kind.kind, 'present');
  const isPending = state.data.pending?.kind === kind.kind && state.data.pending.id === id;
  const present = kind.unique === undefined ? undefined : existing.byKey.get(String(object[kind.unique]));
  const adopted = isPending ? interrupted(state, existing, name) : present;
  if (adopted !== undefined) {
    ids[id] = adopted;
    existing.taken.add(adopted);
    if (isPending) await kind.finish?.(object, adopted, target, report);
    const reason = isPending ? undefined : `the target has one with the same ${kind.unique}, which stays as it is`;
    return report.count(kind.kind, isPending ? 'imported' : 'present', 1, reason, name);
  }
  if (mapped.missing.length > 0) {
    return report.count(kind.kind, 'skipped', 1, `it refers to ${mapped.missing.join(', ')}, which was not imported`, name);
  }
  const body = picked(mapped.value, kind.fields);
  const made = kind.adapt?.({ ...object, ...mapped.value }, body, idsOf(state)) ?? { body };
  if ('ignored' in made) return report.count(kind.kind, 'present', 1, made.ignored, name);
  if ('problem' in made) return report.count(kind.kind, 'skipped', 1, made.problem, name);
  const count = () => {
    const changes = [...new Set(made.changes ?? [])];
    report.count(kind.kind, changes.length > 0 ? 'translated' : 'imported');
    for (const change of changes) report.explain(kind.kind, change, name);
  };
  const same = await sameIn(existing, made.body, kind, target);
  if (same !== undefined) {
    ids[id] = same;
    existing.taken.add(same);
    if (!isDryRun) await kind.finish?.(object, same, target, report.ignored());
    return report.count(kind.kind, 'present', 1, 'the target has one with the same content', name);
  }
  if (isDryRun) {
    ids[id] = NOT_CREATED;
    return count();
  }
  state.data.pending = { kind: kind.kind, id, others: idsNamed(existing.objects, name) };
  state.save();
  try {
    const known = new Set([...existing.objects.map(idIn), ...existing.taken]);
    const created = await target.client.request('POST', `${target.api}/${kind.path}`, made.body, {
      findEffect: async () => {
        const since = (await existingOf(kind, target, [])).objects.filter((one) => !known.has(idIn(one)));
        // what has no name is known by its content
        return since.find((one) => nameOf(one) === name) ?? since.find((one) => isSame(made.body, one));
      },
    });
    ids[id] = idIn(created);
    existing.taken.add(ids[id]);
    await kind.finish?.(object, ids[id], target, report);
    count();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (error.status === 403) throw new ImportError(`The key of the target may not create ${kind.kind}: ${error.message}`);
    const field = error.attr === null ? '' : ` (${error.attr.replaceAll('__', '.')})`;
    report.count(kind.kind, 'skipped', 1, `the target refuses it: ${error.message}${field}`, name);
  }
  state.data.pending = null;
  state.save();
}

const idsNamed = (objects: readonly JsonObject[], name: string): (number | string)[] =>
  objects.filter((object) => nameOf(object) === name).map(idIn);

/** The object whose creation was interrupted, if the target made it: one of its name that was not there before and stands for no other. */
function interrupted({ data }: ImportState, { objects, taken }: Existing, name: string): number | string | undefined {
  const others = new Set(data.pending?.others ?? []);
  return idsNamed(objects, name).find((id) => !others.has(id) && !taken.has(id));
}

/** The object of the target that a request would create again: without the state of the run that made it, its content tells. */
async function sameIn(
  { objects, taken }: Existing,
  body: JsonObject,
  { path, isListedInPart }: CreatedKind,
  { client, api }: Target,
): Promise<number | string | undefined> {
  for (const object of objects) {
    const id = idIn(object);
    if (taken.has(id) || !isSame(body, object)) continue;
    if (!isListedInPart) return id;
    const whole = await client.request('GET', `${api}/${path}${id}/`);
    if (isObject(whole) && isSame(body, whole)) return id;
  }
  return undefined;
}

interface Existing {
  objects: readonly JsonObject[];
  byKey: ReadonlyMap<string, number | string>;
  /** Ids of those that stand for an object of the source: each stands for one. */
  taken: Set<number | string>;
}

/** What the target has of a kind, also by the unique field. */
async function existingOf(
  { path, unique }: CreatedKind,
  { client, api }: Target,
  known: readonly (number | string)[],
): Promise<Existing> {
  const byKey = new Map<string, number | string>();
  const objects: JsonObject[] = [];
  for (let offset = 0; ; ) {
    const page = await client.request('GET', `${api}/${path}?limit=200&offset=${offset}`);
    const results = isObject(page) && Array.isArray(page['results']) ? page['results'].filter(isObject) : [];
    for (const object of results) {
      if (object['deleted'] === true) continue;
      if (unique !== undefined) byKey.set(String(object[unique]), idIn(object));
      objects.push(object);
    }
    offset += results.length;
    if (results.length === 0 || (isObject(page) && !page['next'])) return { objects, byKey, taken: new Set(known) };
  }
}

function idIn(object: unknown): number | string {
  const id = isObject(object) ? object['id'] : undefined;
  if (typeof id !== 'number' && typeof id !== 'string')
    throw new ImportError('The target answers without an id: is it Tidemark?');
  return id;
}

/** What people call an object, for the report. */
function nameOf(object: JsonObject): string {
  for (const field of ['key', 'name', 'derived_name', 'content']) {
    const value = object[field];
    if (typeof value === 'string' && value !== '') return value.slice(0, 80);
  }
  return `number ${object['id']}`;
}

/** Fields that an object has; null is left out, because it is what a field without a value has. */
const picked = (object: JsonObject, fields: readonly string[]): JsonObject =>
  Object.fromEntries(
    fields.flatMap((field) => (object[field] === undefined || object[field] === null ? [] : [[field, object[field]]])),
  );
