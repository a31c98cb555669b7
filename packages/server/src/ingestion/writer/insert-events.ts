import type { Deps } from '../../deps.js';
import { isolate } from '../../kernel/bisect.js';
import { sleep } from '../../kernel/scheduler.js';
import { breathe } from '../../kernel/yield-to-event-loop.js';
import { BytesWriter, readProperties, writeEvent, writeJson } from '../../ports/event-rows/index.js';
import { EventsRejected, EventsUnavailable } from '../../ports/events.js';
import type { IngestMetrics } from '../metrics.js';
import type { RowHead } from '../rows.js';
import { findStored, storedKey } from './stored-store.js';

/** A row on its way into `events`. */
export interface EventLine {
  head: RowHead;
  /** As `writeJson` of event-rows wrote them. */
  properties: Buffer;
  state: 'waiting' | 'stored' | 'unstorable';
}

/** One insert: more rows would only hold up the event loop. */
const MAX_ROWS = 4_000;
const MAX_LENGTH = 8 * 1024 * 1024;
/** How long an engine that went away is waited for. */
const PATIENCE_MS = 10_000;
const ASK_EVERY_MS = 200;
/** Rows that are written between two turns of the event loop: about 1 ms. */
const STRETCH = 500;

/**
 * Stores the lines and writes into each what became of it. A line that the table cannot take holds up none of the others.
 * @throws EventsUnavailable | EventsFull lines that are still `waiting` may (unavailable) or may not (full) be stored
 */
export async function insertEvents(deps: Deps, metrics: IngestMetrics, lines: readonly EventLine[]): Promise<void> {
  const insert = (part: readonly EventLine[]) => insertPart(deps, metrics, part);
  for (const chunk of chunks(lines)) {
    const { refused } = await isolate(chunk, insert, isRejection);
    for (const line of refused) line.properties = asText(line.properties);
    const hopeless = await isolate(refused, insert, isRejection);
    for (const line of hopeless.refused) {
      line.state = 'unstorable';
      deps.log.warn({ projectId: line.head.project_id, uuid: line.head.uuid }, 'the event store refuses this event in any form');
    }
  }
}

const isRejection = (error: unknown): boolean => error instanceof EventsRejected;

function* chunks(lines: readonly EventLine[]): Generator<EventLine[]> {
  let chunk: EventLine[] = [];
  let length = 0;
  for (const line of lines) {
    if (chunk.length > 0 && (chunk.length >= MAX_ROWS || length + line.properties.length > MAX_LENGTH)) {
      yield chunk;
      chunk = [];
      length = 0;
    }
    chunk.push(line);
    length += line.properties.length;
  }
  if (chunk.length > 0) yield chunk;
}

async function insertPart(deps: Deps, metrics: IngestMetrics, part: readonly EventLine[]): Promise<void> {
  const token = deps.ids.uuid();
  const done = metrics.insertSeconds.startTimer({ table: 'events' });
  try {
    await deps.events.insert('events', await bytesOf(part), { token, format: 'binary' });
  } catch (error) {
    if (!(error instanceof EventsUnavailable)) throw error;
    await insertAgain(deps, part, token, error);
  }
  done();
  metrics.insertRows.observe({ table: 'events' }, part.length);
  for (const line of part) line.state = 'stored';
}

/**
 * After an insert of which nobody knows what became: looks which rows are there and stores the rest. The store's own memory
 * of tokens is not enough: an engine that crashed may remember a token whose rows it lost.
 */
async function insertAgain(deps: Deps, part: readonly EventLine[], token: string, error: EventsUnavailable): Promise<void> {
  await untilBack(deps, error);
  const stored = await findStored(deps.events, part.map(keyOf));
  const missing = part.filter((line) => !stored.has(storedKey(line.head.project_id, line.head.uuid)));
  if (missing.length === 0) return;
  // on a server the first insert may still be running: only its own token tells the server that they are the same
  const mayStillRun = deps.config.clickhouseUrl !== null && missing.length === part.length;
  await deps.events.insert('events', await bytesOf(missing), {
    token: mayStillRun ? token : deps.ids.uuid(),
    format: 'binary',
  });
}

async function untilBack({ events, scheduler }: Deps, error: EventsUnavailable): Promise<void> {
  const deadline = scheduler.uptime() + PATIENCE_MS;
  for (;;) {
    await sleep(scheduler, ASK_EVERY_MS);
    try {
      await events.ping();
      return;
    } catch {
      if (scheduler.uptime() >= deadline || !events.acceptsInserts()) throw error;
    }
  }
}

function keyOf({ head }: EventLine) {
  return {
    projectId: head.project_id,
    uuid: head.uuid,
    event: head.event,
    distinctId: head.distinct_id,
    timestamp: head.timestamp,
  };
}

/** About how many bytes a row has beside its properties. */
const HEAD_BYTES = 200;

async function bytesOf(part: readonly EventLine[]): Promise<Buffer> {
  const writer = new BytesWriter(part.reduce((sum, { properties }) => sum + properties.length + HEAD_BYTES, 0));
  for (const [i, { head, properties }] of part.entries()) {
    if (i > 0 && i % STRETCH === 0) await breathe();
    writeEvent(writer, head, properties);
  }
  return writer.take();
}

/** The form in which any properties can be stored: as text under one name, still to be read by people. */
function asText(properties: Buffer): Buffer {
  const writer = new BytesWriter(2 * properties.length);
  writeJson(writer, { $raw_properties: JSON.stringify(readProperties(properties)) });
  return writer.take();
}
