import { isDeepStrictEqual } from 'node:util';
import { isObject, type JsonObject } from '../../kernel/json.js';
import { type ActivityEntry, byCaller, type Caller, changesBetween, kindOfChange } from '../activity/index.js';
import { type FlagRow, STATE_FIELDS } from './store.js';

/** The user who changes a flag, and the job that did it, if no request did. */
export type Actor = Caller & { trigger?: ActivityEntry['detail']['trigger'] };

/** The entry of the activity log for something that the actor did with a flag. */
export const flagEntry = (
  { trigger = null, ...caller }: Actor,
  row: FlagRow,
  activity: ActivityEntry['activity'],
  changes: ActivityEntry['detail']['changes'] = [],
): ActivityEntry => ({
  ...byCaller(caller),
  scope: 'FeatureFlag',
  itemId: row.id,
  activity,
  detail: { name: row.key, changes, trigger },
});

/** The entry for an update of a flag. Secret payloads are hidden. */
export function updateEntry(actor: Actor, before: FlagRow, after: FlagRow): ActivityEntry {
  const secret = before.has_encrypted_payloads || after.has_encrypted_payloads;
  const [was, is] = secret ? [withoutPayloads(before, before), withoutPayloads(after, before)] : [before, after];
  const changes = changesBetween('FeatureFlag', was, is, STATE_FIELDS);
  return flagEntry(actor, after, kindOfChange(before, after), changes);
}

/** A flag without its secret payloads. The log shows whether a payload differs from `before`, and not more. */
function withoutPayloads(row: FlagRow, before: FlagRow): FlagRow {
  const [payloads, old] = [row.filters['payloads'], before.filters['payloads']];
  if (!isObject(payloads)) return row;
  const hidden: JsonObject = {};
  for (const [key, value] of Object.entries(payloads)) {
    hidden[key] = isDeepStrictEqual(value, isObject(old) ? old[key] : undefined) ? '(hidden)' : '(hidden, changed)';
  }
  return { ...row, filters: { ...row.filters, payloads: hidden } };
}
