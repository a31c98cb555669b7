import { bisectRejected } from '../../kernel/bisect.js';
import { type HttpClient, Refusal } from '../http-client.js';
import { ImportError } from '../import-error.js';
import type { ImportReport } from '../report.js';
import { BROKEN_PROPERTIES, hasBrokenProperties, type ImportedEvent } from './event.js';
import { batchBody, type EventJson, encodeEvent } from './event-json.js';
import { createLanes } from './lanes.js';

/** Requests in flight. Events of one distinct id go one after the other, so that their order stays. */
const LANES = 4;
const MAX_EVENTS = 1_000;
const MAX_BYTES = 4 * 1024 * 1024;

/** Sends events to the capture endpoint of a project. Calls may overlap: events of one distinct id keep the order of the calls. */
export type SendEvents = (events: readonly ImportedEvent[]) => Promise<void>;

/**
 * Makes the function that sends events as history: it resolves when all of them are stored or reported. Events that the service refuses are
 * found by halving their request.
 * @param kind the name of events in the report
 */
export function createSender(client: HttpClient, projectKey: string, report: ImportReport, kind = 'events'): SendEvents {
  const head = `{"api_key":${JSON.stringify(projectKey)},"historical_migration":true,"batch":[`;

  async function sendBatch(events: readonly EventJson[]): Promise<void> {
    let last: Refusal | null = null;
    const isRefusal = (error: unknown): boolean => {
      if (!(error instanceof Refusal)) return false;
      if (error.status !== 400 && error.status !== 413) {
        throw new ImportError(`The events are refused (${error.status}): ${error.message}`);
      }
      last = error;
      return true;
    };
    const { refused } = await bisectRejected(
      events,
      (part) => client.request('POST', '/batch/', batchBody(head, part)),
      isRefusal,
    );
    report.count(kind, 'imported', events.length - refused.length);
    for (const { source } of refused) {
      const reason = hasBrokenProperties(source) ? BROKEN_PROPERTIES : `the service refuses the event: ${messageOf(last)}`;
      report.count(kind, 'skipped', 1, reason, source.uuid);
    }
  }

  const lanes = createLanes(LANES);
  return async (events) => {
    const parts: ImportedEvent[][] = Array.from({ length: LANES }, () => []);
    for (const event of events) parts[laneOf(event.distinct_id)]?.push(event);
    await Promise.all(
      parts.flatMap((part, lane) => [...batchesOf(part)].map((batch) => lanes.run(lane, () => sendBatch(batch)))),
    );
  };
}

const messageOf = (refusal: Refusal | null): string => refusal?.message ?? '';

/** Equal ids get equal lanes. */
function laneOf(distinctId: string): number {
  let hash = 0;
  for (let at = 0; at < distinctId.length; at++) hash = (hash * 31 + distinctId.charCodeAt(at)) | 0;
  return Math.abs(hash) % LANES;
}

/** Parts of a list that a request may have. */
function* batchesOf(events: readonly ImportedEvent[]): Generator<EventJson[]> {
  let batch: EventJson[] = [];
  let bytes = 0;
  for (const event of events) {
    const encoded = encodeEvent(event);
    if (batch.length >= MAX_EVENTS || (batch.length > 0 && bytes + encoded.length > MAX_BYTES)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(encoded);
    bytes += encoded.length;
  }
  if (batch.length > 0) yield batch;
}
