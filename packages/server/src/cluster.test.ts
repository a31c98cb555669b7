import { randomUUID } from 'node:crypto';
import { type ClickHouseServer, eventually, startClickHouseServer } from '@tidemark/testkit';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { EventsUnavailable } from './ports/events.js';
import { startTestService, type TestService } from './testing/service.js';

/*
 * Two servers on the same PostgreSQL and the same ClickHouse, as behind a balancer.
 */

let clickhouse: ClickHouseServer;
let first: TestService;
let second: TestService;

beforeAll(async () => {
  clickhouse = await startClickHouseServer();
  // the addresses say that there may be others; the databases are those of the test
  const shared = { clickhouseUrl: `${clickhouse.url}/cluster`, databaseUrl: 'postgres://db.example.com/tidemark' };
  first = await startTestService(shared);
  second = await startTestService(shared, first);
});
afterAll(async () => {
  await second?.close();
  await first?.close();
  await clickhouse?.close();
});

const eventOf = (event: string, more: object = {}) => ({
  event,
  distinct_id: 'ann',
  uuid: randomUUID(),
  timestamp: new Date().toISOString(),
  ...more,
});
const capture = async (server: TestService, batch: object[]) =>
  (await server.call('POST', '/batch/', { key: null, body: { api_key: server.projectKey, batch } })).statusCode;
const rows = async (query: string) => {
  const body = { query: { kind: 'HogQLQuery', query } };
  return (await second.call('POST', `/api/projects/${second.projectId}/query/`, { body })).json().results;
};
const countOf = (event: string) => rows(`select count(), count(distinct uuid) from events where event = '${event}'`);

/** Inserts into a table go through only once they are let go, or fail. */
function holdInserts(server: TestService, table: string) {
  const { events } = server.deps;
  const { insert } = events;
  let go = (_fault?: Error) => {};
  const gone = new Promise<Error | undefined>((resolve) => {
    go = resolve;
  });
  let begin = () => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  events.insert = async (into, ...rest) => {
    if (into === table) {
      begin();
      const fault = await gone;
      if (fault) throw fault;
    }
    return insert(into, ...rest);
  };
  return {
    begun,
    end: (fault?: Error) => {
      events.insert = insert;
      go(fault);
    },
  };
}

describe('an event sent to two servers is stored once', () => {
  test('at the same time, repeatedly', async () => {
    for (let i = 0; i < 10; i++) {
      const batch = [eventOf('both'), eventOf('both'), eventOf('both')];
      const sent = await Promise.all([capture(first, batch), capture(second, batch)]);
      expect(sent).toContain(200);
      // a request during the other one's write is refused with a 503, to be retried
      expect(sent.filter((status) => status !== 200 && status !== 503)).toEqual([]);
      expect(await capture(second, batch)).toBe(200);
    }
    expect(await countOf('both')).toEqual([[30, 30]]);
  });

  test('one after the other', async () => {
    for (let i = 0; i < 10; i++) {
      const batch = [eventOf('retried')];
      expect(await capture(first, batch)).toBe(200);
      expect(await capture(second, batch)).toBe(200);
    }
    expect(await countOf('retried')).toEqual([[10, 10]]);
  });

  test('while the first one still stores it, for any time', async () => {
    const batch = [eventOf('slow', { timestamp: new Date(Date.now() - 60_000).toISOString() })];
    const hold = holdInserts(first, 'events');
    const slow = capture(first, batch);
    await hold.begun;
    const until = Date.now() + 7_000;
    while (Date.now() < until) {
      expect(await capture(second, batch)).toBe(503);
      expect(await capture(second, [eventOf('other')])).toBe(200);
    }
    hold.end();
    expect(await slow).toBe(200);
    expect(await capture(second, batch)).toBe(200);
    expect(await countOf('slow')).toEqual([[1, 1]]);
  });

  test('if the result of its insert is unknown and the server applies it late', async () => {
    const batch = [eventOf('late')];
    const { events } = first.deps;
    const { insert } = events;
    let inserts = 0;
    let late: Promise<unknown> = Promise.resolve();
    events.insert = async (table, ...rest) => {
      if (table !== 'events') return insert(table, ...rest);
      inserts++;
      if (inserts > 1) {
        const refused = await insert(table, ...rest);
        // as one that a network had delayed
        late = again();
        return refused;
      }
      again = () => insert(table, ...rest);
      throw new EventsUnavailable('no answer');
    };
    let again = (): Promise<unknown> => Promise.resolve();
    expect(await capture(first, batch)).toBe(200);
    await late;
    events.insert = insert;
    expect(inserts).toBe(2);
    expect(await countOf('late')).toEqual([[1, 1]]);
  });

  test('after the first one failed: the other one stores it at once', async () => {
    const batch = [eventOf('failed')];
    const hold = holdInserts(first, 'events');
    const failing = capture(first, batch);
    await hold.begun;
    await clickhouse.kill9();
    hold.end();
    expect(await failing).toBe(503);
    await clickhouse.restart();
    // each server refuses events until its own watchdog has seen that ClickHouse answers again
    await eventually(async () => expect(await capture(second, batch)).toBe(200), { within: 60_000 });
    await eventually(async () => expect(await capture(first, batch)).toBe(200), { within: 60_000 });
    expect(await countOf('failed')).toEqual([[1, 1]]);
  });
});

test('persons that a server could not write to the event store are written by the others, if it does not return', async () => {
  const third = await startTestService(first.deps.config, first);
  const { events } = third.deps;
  const { insert } = events;
  events.insert = async (table, ...rest) => {
    if (table === 'persons') throw new EventsUnavailable('away');
    return insert(table, ...rest);
  };
  const event = eventOf('joined', { distinct_id: 'orphan', properties: { $set: { plan: 'team' } } });
  expect(await capture(third, [event])).toBe(503);
  await third.close();

  expect(await capture(second, [event])).toBe(200);
  const plan = () => rows("select person.properties.plan from events where event = 'joined'");
  await eventually(async () => expect(await plan()).toEqual([['team']]), { within: 60_000 });
});

describe('a result that may be old', () => {
  const ask = async (server: TestService, event: string) => {
    const query = { kind: 'TrendsQuery', series: [{ kind: 'EventsNode', event }], dateRange: { date_from: '-1d' } };
    const body = { query, refresh: 'blocking', staleness: 10 };
    const answer = (await server.call('POST', `/api/projects/${server.projectId}/query/`, { body })).json();
    return { count: answer.results[0].count, isCached: answer.is_cached, completeUntil: answer.complete_until };
  };

  /** Counts the statements of a server about an event, and holds them until they are let go. */
  function watchReads(server: TestService, event: string) {
    const { events } = server.deps;
    const { query } = events;
    const state = { statements: 0, gate: Promise.resolve(), end: () => {} };
    events.query = async (statement) => {
      if (!Object.values(statement.params ?? {}).includes(event)) return query(statement);
      state.statements += 1;
      await state.gate;
      return query(statement);
    };
    state.end = () => {
      events.query = query;
    };
    return state;
  }

  test('is computed by one server for all', async () => {
    await capture(first, [eventOf('shared')]);
    const computed = await ask(first, 'shared');
    expect(computed).toMatchObject({ count: 1, isCached: false });
    await capture(first, [eventOf('shared')]);
    const reads = watchReads(second, 'shared');
    expect(await ask(second, 'shared')).toEqual({ ...computed, isCached: true });
    expect(reads.statements).toBe(0);
    reads.end();
  });

  test('is waited for while another server computes it', async () => {
    const event = `awaited ${randomUUID()}`;
    await capture(first, [eventOf(event)]);
    const [there, here] = [watchReads(first, event), watchReads(second, event)];
    let release = () => {};
    there.gate = new Promise((resolve) => {
      release = resolve;
    });
    const computing = ask(first, event);
    await expect.poll(() => there.statements).toBe(1);
    const begins = vi.spyOn(second.deps.db, 'insertInto');
    const waiting = ask(second, event);
    // the second server has tried to begin twice, so it waits; a result computed in less time would count as cheap and not be shared
    await expect.poll(() => begins.mock.calls.filter(([table]) => table === 'query_results').length).toBeGreaterThan(1);
    begins.mockRestore();
    release();
    const [computed, waited] = await Promise.all([computing, waiting]);
    expect(waited).toMatchObject({ count: 1, completeUntil: computed.completeUntil });
    expect([there.statements, here.statements]).toEqual([1, 0]);
    for (const reads of [there, here]) reads.end();
  });

  test('is computed again where the server that computes it says nothing any more, or fails', async () => {
    const event = `orphaned ${randomUUID()}`;
    await capture(first, [eventOf(event)]);
    const there = watchReads(first, event);
    let fail = (_error: Error) => {};
    there.gate = new Promise((_, reject) => {
      fail = reject;
    });
    const computing = ask(first, event).catch(() => 'failed');
    await expect.poll(() => there.statements).toBe(1);
    // as if its server had died
    const lease = { leased_until: new Date(second.clock.now() - 1) };
    await second.deps.db.updateTable('query_results').set(lease).where('leased_until', 'is not', null).execute();
    expect(await ask(second, event)).toMatchObject({ count: 1, isCached: false });
    fail(new EventsUnavailable('away'));
    expect(await computing).toBe('failed');
    there.end();
    expect(await ask(first, event)).toMatchObject({ count: 1, isCached: true });
  });
});
