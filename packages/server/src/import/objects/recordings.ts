import { isObject, type Json, type JsonObject } from '../../kernel/json.js';
import { Refusal } from '../http-client.js';
import { idsOfKind } from '../state.js';
import type { ObjectImport } from './create-objects.js';

/** Characters of snapshots in a request, as recorders send them: players fetch as much at once. A larger snapshot has a request of its own. */
const MAX_CHARACTERS = 1024 * 1024;

/**
 * Imports recorded sessions, snapshot by snapshot as the source has them. A request that is repeated is stored once, so a session that was
 * interrupted is sent from its beginning.
 */
export async function importRecordings(importing: ObjectImport): Promise<void> {
  const { source, state, report, isDryRun } = importing;
  const done = idsOfKind(state, 'recordings');
  for await (const recording of source.list('recordings')) {
    const id = String(recording['id']);
    if (done[id] !== undefined) {
      report.count('recordings', 'present');
      continue;
    }
    if (isDryRun) {
      report.count('recordings', 'imported');
      continue;
    }
    try {
      const stored = await sendRecording(id, recording, importing);
      if (stored === 'off') {
        const rest = 'the target does not record: turn recordings on in its settings, then run the command again';
        return report.count('recordings', 'skipped', 1, rest, id);
      }
      if (stored === 0) report.count('recordings', 'skipped', 1, 'the source does not give its snapshots any more', id);
      else {
        done[id] = id;
        report.count('recordings', 'imported');
      }
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      report.count('recordings', 'skipped', 1, `the source or the target refuses it: ${error.message}`, id);
    }
    state.save();
  }
}

/** Sends the snapshots of a session. @returns how many; `off`: the target does not record */
async function sendRecording(
  id: string,
  recording: JsonObject,
  { source, target: { client, projectKey } }: ObjectImport,
): Promise<number | 'off'> {
  let sent = 0;
  let lines: [window: string, snapshot: JsonObject][] = [];
  let characters = 0;
  let isOff = false;
  const flush = async () => {
    if (lines.length === 0 || isOff) return;
    const answer = await client.request('POST', '/s/', itemsOf(lines, id, recording, projectKey));
    isOff = isObject(answer) && Array.isArray(answer['quota_limited']);
    sent += lines.length;
    lines = [];
    characters = 0;
  };
  for await (const text of source.snapshots(id)) {
    if (characters + text.length > MAX_CHARACTERS) await flush();
    lines.push(...snapshotsOf(text));
    characters += text.length;
  }
  await flush();
  return isOff ? 'off' : sent;
}

/** `["<window id>", {snapshot}]`, or `{ window_id, data: [{snapshot}] }` of older recordings; empty: the line is something else. */
function snapshotsOf(text: string): [string, JsonObject][] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return [];
  }
  const [window, found] = Array.isArray(parsed)
    ? [parsed[0], [parsed[1]]]
    : isObject(parsed)
      ? [parsed['window_id'], parsed['data']]
      : [];
  if (typeof window !== 'string' || !Array.isArray(found)) return [];
  return found.filter(isObject).map((snapshot) => [window, snapshot]);
}

/** Snapshots as recorders send them: those of one window that follow each other in one event. */
function itemsOf(lines: readonly [string, JsonObject][], id: string, recording: JsonObject, token: string): Json {
  const items: { event: string; properties: JsonObject & { $snapshot_data: Json[] } }[] = [];
  for (const [window, snapshot] of lines) {
    const last = items.at(-1);
    if (last?.properties['$window_id'] === window) {
      last.properties.$snapshot_data.push(snapshot);
      continue;
    }
    items.push({
      event: '$snapshot',
      properties: {
        token,
        distinct_id: recording['distinct_id'] ?? id,
        $session_id: id,
        $window_id: window,
        $snapshot_source: recording['snapshot_source'] === 'mobile' ? 'mobile' : 'web',
        $lib: recording['snapshot_library'] ?? 'web',
        $snapshot_data: [snapshot],
      },
    });
  }
  return items;
}
