import { isObject, type Json, type JsonObject } from '../../kernel/json.js';
import { objects, ownToken, requireToken } from './envelope.js';
import { parseJson } from './parse-json.js';
import { type RawRequest, readPayload } from './payload.js';
import { type Hold, Refusal } from './refusal.js';

/** Largest body of the replay path, bytes. */
export const REPLAY_WIRE_CAP = 25 * 1024 * 1024;
/** Recorders split at 7 MB, and a page's first snapshot is one event. */
const SNAPSHOT_LIMITS = { bytes: 8 * 1024 * 1024, values: 500_000 };
const SESSION_ID = /^[A-Za-z0-9-]{1,70}$/;

/**
 * The project key of a replay request whose snapshots are well-formed.
 * @throws Refusal
 */
export async function readReplay(request: RawRequest, hold: Hold): Promise<{ token: string }> {
  const payload = await readPayload(request, hold);
  const { value } = await parseJson(payload, SNAPSHOT_LIMITS, hold);
  const { token, items } = snapshots(value);
  for (const item of items) checkSnapshotData(item);
  const [first] = items;
  if (first) checkSession(first);
  return { token: requireToken(token) };
}

/** A list or a single event is the web recorder's; a batch is the mobile one's. */
function snapshots(value: Json): { token: string | undefined; items: JsonObject[] } {
  if (isObject(value) && Array.isArray(value.batch)) {
    const items = objects(value.batch);
    return { token: ownToken({ ...value, properties: {} }), items };
  }
  const items = objects(Array.isArray(value) ? value : [value]);
  return { token: items[0] && ownToken(items[0]), items };
}

function checkSession(first: JsonObject): void {
  const properties = isObject(first.properties) ? first.properties : {};
  const id = properties.$session_id;
  if (id === undefined || id === null) throw new Refusal('missing_session_id');
  if (typeof id !== 'string' || !SESSION_ID.test(id)) throw new Refusal('invalid_session_id');
  if ((first.distinct_id ?? first.$distinct_id ?? properties.distinct_id ?? '') === '') throw new Refusal('missing_distinct_id');
}

function checkSnapshotData(item: JsonObject): void {
  const data = isObject(item.properties) ? item.properties.$snapshot_data : undefined;
  if (!isObject(data) && !Array.isArray(data)) throw new Refusal('missing_snapshot_data');
}
