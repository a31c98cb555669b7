import {
  type Decoding,
  distinctIdText,
  ownToken,
  parseJson,
  type RawRequest,
  readPayload,
  requireToken,
  SdkError,
} from '../../http/sdk/index.js';
import { isObject, type Json, type JsonObject } from '../../kernel/json.js';
import { objects } from './v0.js';

/** Largest body of the replay path, bytes. */
export const REPLAY_WIRE_CAP = 25 * 1024 * 1024;
/** Recorders split at 7 MB, but a full snapshot of a page is one event. */
const SNAPSHOT_LIMITS = { bytes: 8 * 1024 * 1024, values: 500_000 };
const SESSION_ID = /^[A-Za-z0-9-]{1,70}$/;
const MAX_WORD = 200;

/** The snapshots of one session in one request. */
export interface ReplayPart {
  sessionId: string;
  distinctId: string;
  source: 'web' | 'mobile';
  /** Name of the library that recorded. */
  library: string;
  /** In the order sent, each with its window. */
  snapshots: { windowId: string; snapshot: JsonObject }[];
}

/**
 * The snapshots of a replay request, by session.
 * @param agent the `User-Agent` header
 * @throws SdkError
 */
export async function readReplay(
  request: RawRequest,
  agent: string | undefined,
  decoding: Decoding,
): Promise<{ token: string; parts: ReplayPart[] }> {
  const payload = await readPayload(request, decoding);
  const { value } = await parseJson(payload, SNAPSHOT_LIMITS, decoding, parseVerbatim);
  const { token, items } = eventsOf(value);
  const key = requireToken(token);
  const parts = new Map<string, ReplayPart>();
  const [first] = items;
  for (const item of items) addEvent(parts, item, propertiesOf(first), agent);
  return { token: key, parts: [...parts.values()] };
}

/** Parses without cleaning: snapshots contain compressed bytes as text, in which every character counts, and no database stores them. */
function parseVerbatim(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    throw new SdkError('bad_json');
  }
}

/** The web recorder sends a list or a single event, the mobile one a batch. */
function eventsOf(value: Json): { token: string | undefined; items: JsonObject[] } {
  if (isObject(value) && Array.isArray(value.batch)) {
    const items = objects(value.batch);
    return { token: ownToken({ ...value, properties: {} }), items };
  }
  const items = objects(Array.isArray(value) ? value : [value]);
  return { token: items[0] && ownToken(items[0]), items };
}

const propertiesOf = (item: JsonObject | undefined): JsonObject => (isObject(item?.properties) ? item.properties : {});

/** @param first properties of the request's first event, the defaults of the others */
function addEvent(parts: Map<string, ReplayPart>, item: JsonObject, first: JsonObject, agent: string | undefined): void {
  const properties = propertiesOf(item);
  const data = properties.$snapshot_data;
  if (!isObject(data) && !Array.isArray(data)) throw new SdkError('missing_snapshot_data');
  const sessionId = readSession(properties.$session_id ?? first.$session_id);
  const part = parts.get(sessionId) ?? {
    sessionId,
    distinctId: readDistinctId(item.distinct_id ?? item.$distinct_id ?? properties.distinct_id),
    source: properties.$snapshot_source === 'mobile' ? 'mobile' : 'web',
    library: word(properties.$lib) ?? libraryOf(agent),
    snapshots: [],
  };
  parts.set(sessionId, part);
  const windowId = word(properties.$window_id) ?? sessionId;
  for (const snapshot of Array.isArray(data) ? data : [data]) {
    if (isObject(snapshot)) part.snapshots.push({ windowId, snapshot });
  }
}

function readSession(id: Json | undefined): string {
  if (id === undefined || id === null) throw new SdkError('missing_session_id');
  if (typeof id !== 'string' || !SESSION_ID.test(id)) throw new SdkError('invalid_session_id');
  return id;
}

function readDistinctId(id: Json | undefined): string {
  if (id === undefined || id === null || id === '') throw new SdkError('missing_distinct_id');
  return distinctIdText(id);
}

const word = (value: Json | undefined): string | null =>
  typeof value === 'string' && value !== '' ? value.slice(0, MAX_WORD) : null;

/** Recorders without `$lib` name themselves in the first product of `User-Agent`. */
const libraryOf = (agent: string | undefined): string =>
  agent?.includes('posthog') ? (word(agent.split('/')[0]) ?? 'web') : 'web';
