import { isRecord } from '@tidemark/client';
import { type FakeAnswer, type FakePlatform, flagsAnswer } from '@tidemark/client/testing';
import type { Start, StartCommon, Started } from './driver.js';

/** Event names of each received batch. */
export function batches(platform: FakePlatform): string[][] {
  return batchesOfEvents(platform).map((events) => events.map(({ event }) => String(event)));
}

/** Events of each received batch. */
export function batchesOfEvents(platform: FakePlatform): Record<string, unknown>[][] {
  return platform.requestsTo('/batch/').map(({ body }) => {
    const events = isRecord(body) ? body['batch'] : undefined;
    if (!Array.isArray(events)) throw new Error('not a batch');
    return events.filter(isRecord);
  });
}

/** The entries of `$exception_list`. */
export function exceptionsOf(properties: Record<string, unknown> | undefined): Exception[] {
  const list = properties?.['$exception_list'];
  if (!Array.isArray(list)) throw new Error('no list of exceptions');
  return list;
}

interface Exception {
  type: string;
  value: string;
  mechanism: Record<string, unknown>;
  stacktrace?: { frames: Record<string, unknown>[] };
}

/** How many flag requests the server received. */
export const flagRequests = (platform: FakePlatform): number => platform.requestsTo('/flags/').length;

/** Body of the latest flag request; undefined: none. */
export const lastFlagRequest = (platform: FakePlatform): unknown => platform.requestsTo('/flags/').at(-1)?.body;

type Values = Record<string, boolean | string>;

/** A client that has loaded its flags. */
export async function startWithFlags(
  start: Start,
  values: Values,
  payloads: Record<string, unknown> = {},
  options: Parameters<Start>[0] = {},
): Promise<Started> {
  const world = (platform: FakePlatform) => platform.answer('/flags/', { body: flagsAnswer(values, payloads) });
  const started = await start(options, { world });
  await started.platform.advance(50);
  return started;
}

/** The same for every client; a server client makes a request at each read. */
export async function startCommonWithFlags(start: StartCommon, values: Values, payloads: Record<string, unknown> = {}) {
  const started = await start({}, (platform) => platform.answer('/flags/', { body: flagsAnswer(values, payloads) }));
  await started.platform.advance(50);
  return started;
}

/** Reloads the flags; the server sends `answer`. */
export async function reloadFlags({ client, platform }: Started, answer: FakeAnswer): Promise<void> {
  platform.answer('/flags/', answer);
  client.reloadFeatureFlags();
  await platform.advance(50);
}

/** Logged warnings and errors. */
export const complaints = (platform: FakePlatform): string[] =>
  platform.logged.filter(({ level }) => level !== 'debug').map(({ text }) => text);
