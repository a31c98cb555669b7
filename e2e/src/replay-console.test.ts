import { expect, test } from 'vitest';
import { becomesActive, open, sessionOf, settle, snapshotsOf, withReplay } from './testing/replay-visits.js';

withReplay();

test('console lines are recorded in bounded time, without running code of logged values', async () => {
  const { page, errors, close } = await open('<h1 id="title">Shop</h1>', { replayOptions: { recordConsole: true } });
  await becomesActive(page);
  await settle(page);
  const session = await sessionOf(page);
  const ran = await page.evaluate<number>(`(() => {
    let ran = 0;
    const row = { id: 1, get balance() { ran++; return 'secret-balance'; }, toJSON() { ran++; return 'secret-json'; } };
    console.log('plain words', { plan: 'pro' });
    console.warn(row, new Error('went wrong'));
    console.debug(Array.from({ length: 300_000 }, (_, id) => ({ id, row, text: 'x'.repeat(50) })));
    return ran;
  })()`);
  await page.click('#title');
  await page.evaluate(`document.getElementById('title').textContent = 'Done'; client.flush()`);
  const events = await snapshotsOf(session, 3, 'Done');
  await close();
  expect(errors).toEqual([]);
  expect(ran).toBe(0);
  const lines = events.filter(({ type, data }) => type === 6 && data['plugin'] === 'rrweb/console@1');
  const logged = lines.map(({ data }) => Object(data['payload'])).map(({ level, payload }) => [level, payload]);
  expect(logged.slice(0, 2)).toEqual([
    ['log', ['"plain words"', '{"plan":"pro"}']],
    ['warn', ['{"id":1,"balance":"[getter]","toJSON":"[function]"}', expect.stringMatching(/^Error: went wrong\n\s+at /)]],
  ]);
  expect(logged[2]?.[1][0]).toMatch(/^\[\{"id":0,/);
  expect(logged[2]?.[1][0]).toHaveLength(1000);
});
