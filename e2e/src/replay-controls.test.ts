import { eventually } from '@tidemark/testkit';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  active,
  becomesActive,
  configArrived,
  loadDelayPasses,
  open,
  PAGE,
  type Page,
  service,
  sessionOf,
  settings,
  settle,
  site,
  snapshotsOf,
  tap,
  uploadIntervalPasses,
  uploads,
  withReplay,
} from './testing/replay-visits.js';

withReplay();

/** Gives a page a manual clock, which `later` advances by milliseconds, so that the machine's speed does not matter. */
const CLOCK = '{ const now = Date.now; window.later = 0; Date.now = () => now.call(Date) + later; }';

describe('controls', () => {
  const url = (source: string) => [{ url: source, matching: 'regex' }];
  const push = (page: Page, path: string) => page.evaluate(`history.pushState({}, '', '${path}')`);
  const makeFlag = async (key: string, filters: object) => {
    const answer = await service.post('/api/projects/@current/feature_flags/', { key, name: key, filters });
    expect(answer.status).toBe(201);
  };
  const everybody = [{ properties: [], rollout_percentage: 100 }];
  beforeAll(async () => {
    await makeFlag('recorded', { groups: everybody });
    const variants = [{ key: 'test', name: '', rollout_percentage: 100 }];
    await makeFlag('varied', { groups: everybody, multivariate: { variants } });
  });

  test('RPL-1 RPL-2 RPL-3 a recording is active from start to stop, starts once, and has the session of the client', async () => {
    const { page, close } = await open(PAGE);
    await becomesActive(page);
    const session = await sessionOf(page);
    await page.evaluate('client.startSessionRecording(); client.startSessionRecording()');
    await page.click('#title');
    await page.evaluate(`document.querySelector('#title').textContent = 'before the end'`);
    await page.evaluate('client.stopSessionRecording()');
    expect(await active(page)).toBe(false);
    const events = await snapshotsOf(session, 3, 'before the end');
    // one recorder: one snapshot of the page, one click
    expect(events.filter(({ type }) => type === 2)).toHaveLength(1);
    expect(events.filter(({ data }) => data['source'] === 2 && data['type'] === 2)).toHaveLength(1);
    expect(uploads().every(({ text }) => text.includes(session))).toBe(true);
    const before = uploads().length;
    await page.click('#title');
    await page.evaluate('client.flush(); client.stopSessionRecording()');
    await uploadIntervalPasses(page);
    expect(uploads()).toHaveLength(before);
    await page.evaluate('client.startSessionRecording()');
    expect(await active(page)).toBe(true);
    await page.evaluate('client.optOut()');
    expect(await active(page)).toBe(false);
    await page.evaluate('client.startSessionRecording()');
    expect(await active(page)).toBe(false);
    await close();
  });

  test('RPL-4 the option of the page switches recording off, despite the project', async () => {
    const { page, close } = await open(PAGE, { options: { session_recording: false } });
    await configArrived(page);
    await page.evaluate('client.startSessionRecording()');
    await loadDelayPasses(page);
    expect([await active(page), site.scripts.filter((path) => path.includes('controller'))]).toEqual([false, []]);
    await close();
  });

  test.each([
    [{ key: 'recorded' }, true],
    [{ key: 'nowhere' }, false],
    [{ key: 'varied' }, true],
    [{ key: 'varied', variant: 'test' }, true],
    [{ key: 'varied', variant: 'control' }, false],
  ])('RPL-5 linked flag %j: %s', async (flag, recorded) => {
    await settings({ session_recording_linked_flag: flag });
    const { page, close } = await open(PAGE);
    if (recorded) await becomesActive(page);
    else await settle(page);
    expect(await active(page)).toBe(recorded);
    await close();
  });

  test('RPL-5 recordings stop when the project switches them off', async () => {
    const { page, close } = await open(PAGE);
    await becomesActive(page);
    await settings({ session_recording_opt_in: false });
    await page.click('#title');
    await page.evaluate('client.flush()');
    await becomesActive(page, false);
    await close();
  });

  test('RPL-6 rate 0 records no session, rate 1 every session', async () => {
    await settings({ session_recording_sample_rate: '0.0' });
    const none = await open(PAGE);
    await settle(none.page);
    expect(await active(none.page)).toBe(false);
    await none.page.evaluate('client.resetSessionId()');
    expect(await active(none.page)).toBe(false);
    await none.close();
    await settings({ session_recording_sample_rate: '1.00' });
    const all = await open(PAGE);
    await becomesActive(all.page);
    await all.close();
  });

  test('RPL-7 RPL-8 a trigger event starts the recording of its session, unless before_send dropped it', async () => {
    await settings({ session_recording_event_trigger_config: ['Bought'] });
    const { page, close } = await open(PAGE);
    await settle(page);
    await page.evaluate(`client.capture('Looked')`);
    expect(await active(page)).toBe(false);
    await page.evaluate(
      `client.setConfig({ before_send: (event) => event.event === 'Bought' ? null : event }); client.capture('Bought')`,
    );
    expect(await active(page)).toBe(false);
    await page.evaluate(`client.setConfig({ before_send: undefined }); client.capture('Bought')`);
    await becomesActive(page);
    await page.evaluate('client.resetSessionId()');
    expect(await active(page)).toBe(false);
    await page.evaluate(`client.capture('Bought')`);
    expect(await active(page)).toBe(true);
    await page.reload();
    await eventually(async () => expect(await page.evaluate('!!window.client')).toBe(true));
    await becomesActive(page);
    await close();
  });

  test('RPL-7 a page view before the recorder has loaded is a trigger', async () => {
    await settings({ session_recording_event_trigger_config: ['$pageview'] });
    const { page, close } = await open(PAGE);
    await becomesActive(page);
    await close();
  });

  test('RPL-9 an address is a trigger', async () => {
    await settings({ session_recording_url_trigger_config: url('/checkout') });
    const { page, close } = await open(PAGE);
    await settle(page);
    await push(page, '/cart');
    expect(await active(page)).toBe(false);
    await push(page, '/checkout');
    await becomesActive(page);
    await push(page, '/cart');
    expect(await active(page)).toBe(true);
    await close();
  });

  test('RPL-10 blocked addresses pause the recording', async () => {
    await settings({ session_recording_url_blocklist_config: url('/account') });
    const { page, close } = await open(PAGE);
    await becomesActive(page);
    const session = await sessionOf(page);
    await push(page, '/account');
    expect(await active(page)).toBe(false);
    await page.evaluate(`document.querySelector('#title').textContent = 'balance 100'`);
    await page.evaluate(`document.querySelector('#title').textContent = 'Hello again'`);
    await push(page, '/');
    await becomesActive(page);
    await page.click('#title');
    await page.evaluate('client.flush()');
    const events = JSON.stringify(await snapshotsOf(session, 4));
    expect([events.includes('balance 100'), events.includes('Hello again')]).toEqual([false, true]);
    await close();
  });

  test('RPL-11 nothing is sent before the minimum duration, and everything after it', async () => {
    await settings({ session_recording_minimum_duration_milliseconds: 600_000 });
    const { page, close } = await open(PAGE, { before: CLOCK });
    await becomesActive(page);
    await page.click('#title');
    await page.evaluate('client.flush()');
    await uploadIntervalPasses(page);
    expect(uploads()).toEqual([]);
    await page.evaluate('later += 600_000');
    await page.click('#title');
    await eventually(async () => expect(uploads().length).toBeGreaterThan(0));
    expect(uploads()[0]?.text).toContain('"type":2');
    await close();
  });

  test('RPL-12 RPL-13 all conditions must hold, or any', async () => {
    const trigger = { session_recording_event_trigger_config: ['Bought'], session_recording_sample_rate: '0' };
    await settings(trigger);
    const all = await open(PAGE);
    await settle(all.page);
    await all.page.evaluate(`client.capture('Bought')`);
    expect(await active(all.page)).toBe(false);
    await all.close();
    await settings({ ...trigger, session_recording_trigger_match_type_config: 'any' });
    const any = await open(PAGE);
    await settle(any.page);
    expect(await active(any.page)).toBe(false);
    await any.page.evaluate(`client.capture('Bought')`);
    await becomesActive(any.page);
    await any.close();
  });

  test('RPL-16 a new session is sent after the first interaction, or when the page is left', async () => {
    const { page, close } = await open(PAGE);
    await becomesActive(page);
    await uploadIntervalPasses(page);
    expect(uploads()).toEqual([]);
    await page.click('#title');
    await eventually(async () => expect(uploads().length).toBeGreaterThan(0));
    await close();

    tap.requests.length = 0;
    const held = await open(PAGE);
    await becomesActive(held.page);
    await held.page.goto('about:blank');
    await eventually(async () => expect(uploads().length).toBeGreaterThan(0));
    await held.close();
  });

  test('RPL-16 a session that follows an idle one is not sent without an interaction, not even when the page is left', async () => {
    const { page, close } = await open(PAGE, { before: CLOCK });
    await becomesActive(page);
    const change = (text: string) => page.evaluate(`document.querySelector('#title').textContent = '${text}'`);
    const of = (session: string) => uploads().filter(({ text }) => text.includes(session));
    const anHourPasses = async () => {
      const before = await sessionOf(page);
      // an untouched page resumes by itself
      await page.evaluate(`later += 3_600_000; client.capture('Polled')`);
      const after = await sessionOf(page);
      expect([after !== before, await active(page)]).toEqual([true, true]);
      return after;
    };
    const first = await sessionOf(page);
    await page.click('#title');

    const second = await anHourPasses();
    await eventually(async () => expect(of(first).length).toBeGreaterThan(0));
    await change('nobody does this');
    await page.evaluate('client.flush()');
    await uploadIntervalPasses(page);
    expect(of(second)).toEqual([]);
    await page.click('#title');
    await page.evaluate('client.flush()');
    // delayed, not lost
    const events = await snapshotsOf(second, 3, 'nobody does this');
    expect(events.filter(({ type }) => type === 2)).toHaveLength(1);

    const third = await anHourPasses();
    await page.evaluate('client.startSessionRecording(); client.flush()');
    await eventually(async () => expect(of(third).length).toBeGreaterThan(0));

    const fourth = await anHourPasses();
    await change('nor this');
    await page.goto('about:blank');
    // sent while the page is left
    await eventually(async () => expect(tap.sent()).toContain('$pageleave'));
    await uploadIntervalPasses(page);
    expect(of(fourth)).toEqual([]);
    await close();
  });

  test('RPP-3 passwords and cards are masked also if inputs are not', async () => {
    const { page, close } = await open(PAGE, { replayOptions: { maskAllInputs: false } });
    await becomesActive(page);
    const session = await sessionOf(page);
    await page.fill('#name', 'Ada Lovelace');
    await page.fill('#password', 'correct horse');
    await page.fill('#card', '4111111111111111');
    await page.evaluate('client.flush()');
    const events = JSON.stringify(await snapshotsOf(session, 3));
    expect([/Ada Lovelace/, /correct horse/, /4111111111111111/].map((word) => word.test(events))).toEqual([true, false, false]);
    await close();
  });

  test('recording pauses on an idle page, and continues with a full snapshot', async () => {
    const { page, close } = await open(PAGE, { replayOptions: { idleAfterMs: 600_000 }, before: CLOCK });
    await becomesActive(page);
    const session = await sessionOf(page);
    await page.click('#title');
    await page.evaluate('later += 600_001');
    const change = (text: string) => page.evaluate(`document.querySelector('#title').textContent = '${text}'`);
    await change('first idle');
    await change('while idle');
    await change('at last');
    await page.click('#title');
    await page.evaluate('client.flush()');
    const events = await snapshotsOf(session, 6, 'at last');
    const text = JSON.stringify(events);
    expect([text.includes('while idle'), text.includes('sessionIdle')]).toEqual([false, true]);
    const full = events.filter(({ type }) => type === 2);
    expect(full).toHaveLength(2);
    expect(JSON.stringify(full[1])).toContain('at last');
    await close();
  });

  test('a looping video is not an interaction', async () => {
    const { page, close } = await open(`${PAGE}<video></video>`, { replayOptions: { idleAfterMs: 600_000 }, before: CLOCK });
    await becomesActive(page);
    const session = await sessionOf(page);
    const goRound = () => page.evaluate(`document.querySelector('video').dispatchEvent(new Event('seeked'))`);
    await goRound();
    await page.evaluate('client.flush()');
    await uploadIntervalPasses(page);
    expect(uploads()).toEqual([]);

    await page.click('#title');
    await page.evaluate('later += 600_001');
    await goRound();
    await page.evaluate(`document.querySelector('#title').textContent = 'while idle'`);
    await page.evaluate('client.flush()');
    const text = JSON.stringify(await snapshotsOf(session, 4, 'sessionIdle'));
    expect(text).not.toContain('while idle');
    await close();
  });

  test('a failed request is repeated, and its snapshots are stored once', async () => {
    const { page, close } = await open(PAGE);
    await becomesActive(page);
    const session = await sessionOf(page);
    tap.mode = 'error';
    await page.click('#title');
    await page.evaluate('client.flush()');
    await eventually(async () => expect(uploads().length).toBeGreaterThan(0));
    tap.mode = 'pass';
    const events = await snapshotsOf(session, 3);
    expect(events.filter(({ type }) => type === 2)).toHaveLength(1);
    await close();
  });

  test('RPL-2 snapshots that could not be sent are dropped at an opt-out, also when the page is left', async () => {
    const { page, close } = await open(PAGE);
    await becomesActive(page);
    tap.mode = 'error';
    await page.click('#title');
    await page.evaluate('client.flush()');
    await eventually(async () => expect(uploads().length).toBeGreaterThan(0));
    await page.evaluate('client.optOut()');
    tap.mode = 'pass';
    tap.requests.length = 0;
    await page.goto('about:blank');
    await uploadIntervalPasses(page);
    expect(uploads()).toEqual([]);
    await close();
  });
});
