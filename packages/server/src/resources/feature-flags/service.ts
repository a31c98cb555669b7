import { isDeepStrictEqual } from 'node:util';
import type { Deps } from '../../deps.js';
import { ApiError } from '../../kernel/errors.js';
import type { Db } from '../../ports/db.js';
import { recordActivity } from '../activity/index.js';
import { type Actor, flagEntry, updateEntry } from './activity.js';
import { missingDashboards, type References, readReferences, requireNoDependents } from './dependencies.js';
import { requireSoundFilters, wholeFilters, withFlagNumbers } from './filters.js';
import type { CreateFields, FlagFields, UpdateFields } from './schema.js';
import { type FlagRow, type FlagState, insertFlag, lockFlags, readFlag, updateFlag } from './store.js';
import { insertVersion } from './versions.js';

/** The user who changes flags, and the clock and ids of the change. */
export type Writer = Actor & { deps: Pick<Deps, 'clock' | 'ids'> };

/** Creates a flag within the transaction `tx`. @throws ApiError unique, does_not_exist, invalid_input */
export async function createFlag(tx: Db, writer: Writer, fields: CreateFields): Promise<FlagRow> {
  const { deps, project, principal } = writer;
  await lockFlags(tx, project.id);
  const known = await readReferences(tx, project.id);
  requireFreeKey(fields.key, known, null);
  const state = newState(fields);
  requireSoundFilters(state.filters, known, null);
  state.filters = withFlagNumbers(state.filters, known);
  await requireDashboards(tx, writer, state.analytics_dashboards);
  const now = new Date(deps.clock.now());
  const id = await insertFlag(tx, project.id, { ...state, created_by: principal.userId }, now);
  await insertVersion(tx, project.id, id);
  const row = await read(tx, writer, id);
  await recordActivity(tx, deps, flagEntry(writer, row, 'created'));
  return row;
}

/**
 * Updates a flag within the transaction `tx`. `wanted` and `mayChange` get the locked flag; `mayChange` throws to refuse the update.
 * @throws ApiError not_found, conflict, unique, does_not_exist, invalid_input
 */
export async function changeFlag(
  tx: Db,
  writer: Writer,
  id: number,
  wanted: UpdateFields | ((row: FlagRow) => UpdateFields),
  mayChange: (row: FlagRow) => void = () => {},
): Promise<FlagRow> {
  const { deps, project, principal } = writer;
  await lockFlags(tx, project.id);
  const before = await read(tx, writer, id);
  const fields = typeof wanted === 'function' ? wanted(before) : wanted;
  // another request may have deleted the flag since it was found
  if (before.deleted && fields.deleted !== false) throw new ApiError('not_found');
  mayChange(before);
  const state = changesOf(before, fields);
  requireNoConflict(before, fields, state);
  if (Object.keys(state).length === 0) return before;
  await requireSound(tx, writer, before, state);
  await updateFlag(tx, project.id, id, { state, userId: principal.userId, now: new Date(deps.clock.now()) });
  await insertVersion(tx, project.id, id);
  const after = await read(tx, writer, id);
  await recordActivity(tx, deps, updateEntry(writer, before, after));
  return after;
}

/** Validates the changed fields, and replaces keys of flags in filters by numbers. */
async function requireSound(tx: Db, writer: Writer, before: FlagRow, state: Partial<FlagState>): Promise<void> {
  const known = await readReferences(tx, writer.project.id);
  const isRestored = before.deleted && state.deleted === false;
  if (state.key !== undefined || isRestored) requireFreeKey(state.key ?? before.key, known, before.id);
  // objects that a deleted flag refers to may have been deleted too
  if (state.filters || isRestored) {
    const flags = isRestored
      ? [...known.flags, { id: before.id, key: before.key, active: before.active, depends: [] }]
      : known.flags;
    requireSoundFilters(state.filters ?? before.filters, { ...known, flags }, before.id);
  }
  if (state.analytics_dashboards) await requireDashboards(tx, writer, state.analytics_dashboards);
  requireNoDependents(before, state, known.flags);
  if (state.filters) state.filters = withFlagNumbers(state.filters, known);
}

/**
 * Refuses a change of an older version of a flag, unless the request has that version as `original_flag` and nobody has changed the
 * same fields since.
 * @throws ApiError conflict
 */
function requireNoConflict(row: FlagRow, { version, original_flag: original }: UpdateFields, state: Partial<FlagState>): void {
  if (version === undefined || version === null || version === row.version) return;
  const now: Record<string, unknown> = { ...row };
  const isFree = (field: string) => original && field in original && isDeepStrictEqual(original[field], now[field]);
  if (original && Object.keys(state).every(isFree)) return;
  const who = row.editor?.email ?? 'another user';
  throw new ApiError(
    'conflict',
    `The feature flag was updated by ${who} since you started editing it: it has version ${row.version} now. Please refresh and try again.`,
    'version',
  );
}

function requireFreeKey(key: string, { flags }: References, id: number | null): void {
  if (flags.every((flag) => flag.key !== key || flag.id === id)) return;
  throw new ApiError('unique', 'There is already a feature flag with this key.', 'key');
}

/** Requires dashboards of the project. @throws ApiError does_not_exist */
async function requireDashboards(tx: Db, { project }: Writer, ids: readonly number[]): Promise<void> {
  const [missing] = ids.length === 0 ? [] : await missingDashboards(tx, project.id, ids);
  if (missing === undefined) return;
  throw new ApiError('does_not_exist', `Invalid pk "${missing}" - object does not exist.`, 'analytics_dashboards');
}

async function read(tx: Db, { project }: Writer, id: number): Promise<FlagRow> {
  const row = await readFlag(tx, project.id, { id });
  if (!row) throw new ApiError('not_found');
  return row;
}

const DEFAULTS: Omit<FlagState, 'key' | 'filters'> = {
  name: '',
  active: true,
  deleted: false,
  ensure_experience_continuity: false,
  bucketing_identifier: 'distinct_id',
  evaluation_runtime: 'all',
  evaluation_contexts: [],
  is_remote_configuration: false,
  has_encrypted_payloads: false,
  has_enriched_analytics: false,
  tags: [],
  usage_dashboard_id: null,
  analytics_dashboards: [],
};

const newState = (fields: CreateFields): FlagState => ({
  ...DEFAULTS,
  ...given(fields),
  key: fields.key,
  filters: wholeFilters(fields.filters, null),
});

/** The fields of a request; null means the default. */
function given({ tags, filters, ...fields }: FlagFields): Partial<FlagState> {
  const named = Object.entries({ ...fields, tags: tags ?? undefined }).filter(
    ([field, value]) => value !== undefined && (field in DEFAULTS || field === 'key'),
  );
  return Object.fromEntries(named.map(([field, value]) => [field, value ?? Object(DEFAULTS)[field]]));
}

/** The fields whose values a request changes. */
function changesOf(before: FlagRow, fields: FlagFields): Partial<FlagState> {
  const wanted = { ...given(fields), ...(fields.filters ? { filters: wholeFilters(fields.filters, before.filters) } : {}) };
  const was: Record<string, unknown> = { ...before };
  return Object.fromEntries(Object.entries(wanted).filter(([field, value]) => !isDeepStrictEqual(value, was[field])));
}
