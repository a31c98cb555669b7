import { type EventRecord, eventually, type Service, startService } from '@tidemark/testkit';
import { PostHog, type PostHogOptions } from 'posthog-node';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { compareImportAfterAll } from './testing/compare-import.js';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service?.close());
compareImportAfterAll(() => service);

describe.each(['v0', 'v1'])('posthog-node 5.70.0 in %s mode', (mode) => {
  beforeEach(() => vi.stubEnv('POSTHOG_CAPTURE_MODE', mode));
  afterEach(() => vi.unstubAllEnvs());

  test('capture, identify, alias and groups: each event is stored once, with the right person and group', async () => {
    const user = `user-${mode}`;
    const { client, sent, paths, errors } = connect();
    client.capture({ distinctId: user, event: `ordered ${mode}`, properties: { price: 9.5, items: ['tea', 'Ünïcode 茶'] } });
    client.identify({ distinctId: user, properties: { email: `${user}@example.com`, $set_once: { first_seen: 'today' } } });
    await client.flush();
    client.alias({ distinctId: user, alias: `device-${mode}` });
    await client.flush();
    client.capture({ distinctId: `device-${mode}`, event: `opened ${mode}`, groups: { company: `acme-${mode}` } });
    client.groupIdentify({ groupType: 'company', groupKey: `acme-${mode}`, properties: { plan: 'team' }, distinctId: user });
    await client.shutdown();

    expect(errors).toEqual([]);
    expect(paths).toEqual(new Set([mode === 'v1' ? '/i/v1/analytics/events' : '/batch/']));
    expect(sent.map(({ event }) => event)).toEqual([
      `ordered ${mode}`,
      '$identify',
      '$create_alias',
      `opened ${mode}`,
      '$groupidentify',
    ]);
    const stored = await storedOf(sent);
    expect(stored.map(({ uuid }) => uuid).sort()).toEqual(sent.map(({ uuid }) => uuid).sort());
    expect(new Set(stored.map((event) => event['person_id'])).size).toBe(1);
    const ordered = stored.find(({ event }) => event === `ordered ${mode}`);
    expect(ordered?.['properties']).toMatchObject({ price: 9.5, items: ['tea', 'Ünïcode 茶'], $lib: 'posthog-node' });
    const ofGroup = await service.events({ select: ['event', '$group_0'] });
    const grouped = ofGroup.filter((event) => event['$group_0'] === `acme-${mode}`).map(({ event }) => event);
    expect(grouped).toEqual(expect.arrayContaining([`opened ${mode}`]));
    expect(grouped).not.toContain(`ordered ${mode}`);

    const [person, ...others] = await personsOf(user);
    expect(others).toEqual([]);
    expect([...(person?.distinct_ids ?? [])].sort()).toEqual([`device-${mode}`, user]);
    expect(person?.properties).toMatchObject({ email: `${user}@example.com`, first_seen: 'today' });
    expect(await personsOf(`device-${mode}`)).toEqual([person]);
  });

  test('batches of 1,000 events are stored completely', async () => {
    const { client, sent, errors } = connect({ flushAt: 1_000, maxBatchSize: 1_000, maxQueueSize: 10_000 });
    for (let i = 0; i < 2_500; i++) {
      client.capture({
        distinctId: `batch-${mode}-${i % 40}`,
        event: `counted ${mode}`,
        properties: { i, text: 'x'.repeat(300) },
      });
    }
    await client.shutdown();
    expect(errors).toEqual([]);
    expect(sent).toHaveLength(2_500);
    const stored = await storedOf(sent);
    expect(stored.map(({ uuid }) => uuid).sort()).toEqual(sent.map(({ uuid }) => uuid).sort());
    expect(new Set(stored.map((event) => event['distinct_id'])).size).toBe(40);
  });
});

interface Sent {
  uuid: string;
  event: string;
}

/** The SDK; records the events that it reports as sent, and the requested paths. */
function connect(options: PostHogOptions = {}) {
  const sent: Sent[] = [];
  const errors: unknown[] = [];
  const paths = new Set<string>();
  const client = new PostHog(service.account.projectKey, {
    host: service.url,
    fetch: (url, request) => {
      paths.add(new URL(url).pathname);
      return fetch(url, request as RequestInit);
    },
    ...options,
  });
  client.on('flush', (messages: Sent[]) => sent.push(...messages));
  client.on('error', (error: unknown) => errors.push(error));
  return { client, sent, errors, paths };
}

/** All stored events with the names of the sent ones, which are visible within a second of the response. */
function storedOf(sent: readonly Sent[]): Promise<EventRecord[]> {
  const names = new Set(sent.map(({ event }) => event));
  const uuids = new Set(sent.map(({ uuid }) => uuid));
  return eventually(
    async () => {
      const pages = await Promise.all([...names].map((event) => service.events({ event })));
      // the other mode's test sends `$identify` and the like, too
      const found = pages.flat().filter(({ uuid, event }) => !String(event).startsWith('$') || uuids.has(String(uuid)));
      if (found.length < sent.length) throw new Error(`${found.length} of ${sent.length} events are visible`);
      return found;
    },
    { within: 1_000 },
  );
}

interface Person {
  distinct_ids: string[];
  properties: Record<string, unknown>;
}

async function personsOf(distinctId: string): Promise<Person[]> {
  const answer = await service.get(`/api/projects/@current/persons/?distinct_id=${encodeURIComponent(distinctId)}`);
  expect(answer.status).toBe(200);
  return (answer.body as { results: Person[] }).results;
}
