import { bisectRejected } from '../../kernel/bisect.js';
import { type HttpClient, Refusal } from '../http-client.js';
import { ImportError } from '../import-error.js';
import type { ImportReport } from '../report.js';
import { eventJson, type ImportedEvent } from './event.js';

/** Requests in flight. Events of one distinct id stay in one of them, so that their order stays. */
const LANES = 4;
const MAX_EVENTS = 1_000;
const MAX_CHARACTERS = 4 * 1024 * 1024;

/** Sends events to the capture endpoint of a project. */
export type SendEvents = (events: readonly ImportedEvent[]) => Promise<void>;

/**
 * Makes the function that sends events as history: it resolves when all of them are stored or reported. Events that the service refuses are
 * found by halving their request.
 * @param kind the name of events in the report
 */
export function createSender(client: HttpClient, projectKey: string, report: ImportReport, kind = 'events'): SendEvents {
  const head = `{"api_key":${JSON.stringify(projectKey)},"historical_migration":true,"batch":[`;

  async function sendBatch(events: readonly EncodedEvent[]): Promise<void> {
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
      (part) => client.request('POST', '/batch/', `${head}${part.map(({ json }) => json).join(',')}]}`),
      isRefusal,
    );
    report.count(kind, 'imported', events.length - refused.length);
    for (const event of refused)
      report.count(kind, 'skipped', 1, `the service refuses the event: ${messageOf(last)}`, event.uuid);
  }

  return async (events) => {
    const lanes: ImportedEvent[][] = Array.from({ length: LANES }, () => []);
    for (const event of events) lanes[laneOf(event.distinct_id)]?.push(event);
    await Promise.all(
      lanes.map(async (lane) => {
        for (const batch of batchesOf(lane)) await sendBatch(batch);
      }),
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

/** An event as it is sent. */
interface EncodedEvent {
  uuid: string;
  json: string;
}

/** Parts of a list that a request may have. */
function* batchesOf(events: readonly ImportedEvent[]): Generator<EncodedEvent[]> {
  let batch: EncodedEvent[] = [];
  let characters = 0;
  for (const event of events) {
    const json = eventJson(event);
    if (batch.length >= MAX_EVENTS || (batch.length > 0 && characters + json.length > MAX_CHARACTERS)) {
      yield batch;
      batch = [];
      characters = 0;
    }
    batch.push({ uuid: event.uuid, json });
    characters += json.length;
  }
  if (batch.length > 0) yield batch;
}
