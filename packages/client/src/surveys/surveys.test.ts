import type { Survey, SurveyConditions } from '@tidemark/wire';
import { describe, expect, test } from 'vitest';
import type { ClientOptions } from '../options.js';
import { createFakePlatform, type FakePlatform, flagsAnswer, startClient } from '../testing/index.js';
import { matchesUrl } from './conditions.js';
import type { OpenSurvey } from './open-survey.js';
import { surveys } from './surveys.js';

const SURVEY: Survey = {
  id: 'one',
  name: 'Feedback',
  description: '',
  type: 'popover',
  questions: [{ id: 'q1', type: 'multiple_choice', question: 'Why?', choices: ['Price', 'Speed'] }],
  conditions: null,
  appearance: null,
  start_date: '2024-12-01T00:00:00Z',
  end_date: null,
  linked_flag_key: null,
  targeting_flag_key: null,
  internal_targeting_flag_key: null,
  feature_flag_keys: null,
  schedule: 'once',
  enable_partial_responses: false,
  current_iteration: null,
  current_iteration_start_date: null,
};
const DAY = 86_400_000;

interface World {
  options?: ClientOptions;
  platform?: FakePlatform;
  display?: (open: OpenSurvey) => void;
  hasElement?: (selector: string) => boolean;
}

/** A client whose server runs these surveys. */
async function startWith(
  definitions: readonly object[],
  { options, platform = createFakePlatform(), display, hasElement }: World = {},
) {
  platform.answer('/api/surveys/', { body: { surveys: definitions } });
  const opened: OpenSurvey[] = [];
  const show = (open: OpenSurvey) => {
    opened.push(open);
    display?.(open);
  };
  const feature = surveys({ display: show }, hasElement && { hasElement });
  const started = startClient({ disable_flags: true, ...options }, { platform, features: [feature] });
  await platform.advance(50);
  return {
    ...started,
    opened,
    feature,
    ids: () => opened.map(({ survey }) => survey.id),
    requests: () => platform.requestsTo('/api/surveys/').length,
    capture: async (event: string) => {
      started.client.capture(event);
      await platform.advance(0);
    },
  };
}
const on = (conditions: SurveyConditions, more: Partial<Survey> = {}): Survey => ({ ...SURVEY, conditions, ...more });

test.each<[SurveyConditions['urlMatchType'], string, boolean]>([
  [undefined, 'EXAMPLE.com/cart', true],
  [undefined, '/other', false],
  ['icontains', '/Cart', true],
  ['not_icontains', '/Cart', false],
  ['not_icontains', '/other', true],
  ['exact', 'https://example.com/cart?id=1', true],
  ['exact', 'https://example.com/cart', false],
  ['is_not', 'https://example.com/cart', true],
  ['is_not', 'https://example.com/cart?id=1', false],
  ['regex', '/cart\\?id=\\d+$', true],
  ['regex', '^/cart', false],
  ['regex', '(', false],
  ['not_regex', '^/cart', true],
  ['not_regex', 'id=', false],
])('an address is %s %s: %s', (how, wanted, holds) => {
  expect(matchesUrl('https://example.com/cart?id=1', wanted, how)).toBe(holds);
  expect(matchesUrl(undefined, wanted, how)).toBe(false);
});

describe('a survey is shown', () => {
  test.each<[Partial<Survey>, boolean]>([
    [{}, true],
    [{ start_date: null }, false],
    [{ start_date: '2025-01-02T00:00:00Z' }, false],
    [{ end_date: '2025-01-02T00:00:00Z' }, true],
    [{ end_date: '2024-12-31T00:00:00Z' }, false],
    [{ conditions: { url: '/cart' } }, true],
    [{ conditions: { url: '/cart', selector: '#pay' } }, true],
    [{ conditions: { url: '/cart', selector: '#gone' } }, false],
    [{ conditions: { selector: '%' } }, false],
    [{ conditions: { url: '/thanks' } }, false],
  ])('%j: %s', async (survey, isShown) => {
    const context = () => ({ $current_url: 'https://example.com/cart' });
    const hasElement = (selector: string) => {
      if (selector === '%') throw new SyntaxError('no selector');
      return selector === '#pay';
    };
    const { opened } = await startWith([{ ...SURVEY, ...survey }], {
      platform: Object.assign(createFakePlatform(), { context }),
      hasElement,
    });
    expect(opened).toHaveLength(isShown ? 1 : 0);
  });

  test('if its flags are on, without reporting them', async () => {
    const platform = createFakePlatform();
    platform.answer('/flags/', { body: flagsAnswer({ on: true, off: false, layout: 'blue' }) });
    const definitions = [
      { linked_flag_key: 'off' },
      { linked_flag_key: 'unknown' },
      { targeting_flag_key: 'off', linked_flag_key: 'on' },
      { internal_targeting_flag_key: 'off' },
      { linked_flag_key: 'layout', conditions: { linkedFlagVariant: 'red' } },
      { linked_flag_key: 'layout', conditions: { linkedFlagVariant: 'blue' }, id: 'blue' },
      { linked_flag_key: 'layout', conditions: { linkedFlagVariant: 'any' }, targeting_flag_key: 'on', id: 'any' },
    ].map((more, index) => ({ ...SURVEY, id: String(index), ...more }));
    const { ids, queued } = await startWith(definitions, {
      platform,
      options: { disable_flags: false },
      display: (open) => open.dismiss(),
    });
    await platform.advance(10);
    expect(ids()).toEqual(['blue', 'any']);
    expect(queued.map(({ event }) => event)).not.toContain('$feature_flag_called');
  });

  test('some days after any other survey', async () => {
    const { platform, ids, capture } = await startWith([SURVEY, on({ seenSurveyWaitPeriodInDays: 2 }, { id: 'patient' })], {
      display: (open) => open.dismiss(),
    });
    await platform.advance(2 * DAY - 60_000);
    await capture('a');
    expect(ids()).toEqual(['one']);
    await platform.advance(60_000);
    await capture('b');
    expect(ids()).toEqual(['one', 'patient']);
  });

  test('after an event, or after each event if repeated activation is on', async () => {
    const events = { values: [{ name: 'paid' }, { name: 'left' }] };
    const { ids, capture } = await startWith(
      [on({ events }), on({ events: { ...events, repeatedActivation: true } }, { id: 'again' })],
      { display: (open) => open.answer(['Speed']) },
    );
    await capture('looked');
    expect(ids()).toEqual([]);
    await capture('paid');
    await capture('left');
    expect(ids()).toEqual(['one', 'again', 'again']);
  });

  test('when the application checks surveys again', async () => {
    let isThere = false;
    const { opened, platform, feature } = await startWith([on({ selector: '#late' })], { hasElement: () => isThere });
    isThere = true;
    await platform.advance(1_000);
    expect(opened).toEqual([]);
    feature.check();
    await platform.advance(0);
    expect(opened).toHaveLength(1);
  });

  test('again after reset, for the new person', async () => {
    const { client, platform, opened } = await startWith([SURVEY]);
    opened[0]?.answer(['Price']);
    client.reset();
    await platform.advance(0);
    expect(opened).toHaveLength(2);
  });
});

describe('conditions of a survey', () => {
  test.each<[SurveyConditions, string | undefined, boolean]>([
    [{ deviceTypes: ['Mobile', 'Tablet'] }, 'Mobile', true],
    [{ deviceTypes: ['mobile'] }, 'Mobile', true],
    [{ deviceTypes: ['Mobile'] }, 'Desktop', false],
    [{ deviceTypes: ['Mobile'] }, undefined, false],
    [{ deviceTypes: ['mobile'], deviceTypesMatchType: 'exact' }, 'Mobile', false],
    [{ deviceTypes: ['Mobile', 'Tablet'], deviceTypesMatchType: 'is_not' }, 'Desktop', true],
    [{ deviceTypes: ['Mobile', 'Tablet'], deviceTypesMatchType: 'is_not' }, 'Tablet', false],
    [{ deviceTypes: ['^Mob'], deviceTypesMatchType: 'regex' }, 'Mobile', true],
    [{ deviceTypes: ['^Mob'], deviceTypesMatchType: 'not_regex' }, 'Mobile', false],
  ])('%j on a %s: %s', async (conditions, type, isShown) => {
    const context = () => ({ $device_type: type });
    const { opened } = await startWith([on(conditions)], { platform: Object.assign(createFakePlatform(), { context }) });
    expect(opened).toHaveLength(isShown ? 1 : 0);
  });

  test('each iteration of a recurring survey is shown again, with its number', async () => {
    const first = {
      ...SURVEY,
      schedule: 'recurring',
      current_iteration: 1,
      current_iteration_start_date: '2024-12-01T00:00:00Z',
    };
    const one = await startWith([first], { display: (open) => open.answer(['Speed']) });
    expect(one.ids()).toEqual(['one']);
    expect(one.queued.find(({ event }) => event === 'survey sent')?.properties).toMatchObject({
      $survey_iteration: 1,
      $set: { '$survey_responded/one/1': true },
    });
    await one.client.flush();
    const { stored } = one.platform;
    const again = async (definition: object) => {
      const platform = createFakePlatform({ stored, now: Date.UTC(2025, 1, 1), seed: 1 });
      return (await startWith([definition], { platform, display: (open) => open.dismiss() })).ids();
    };
    expect(await again(first)).toEqual([]);
    expect(await again({ ...first, current_iteration: 2 })).toEqual(['one']);
  });

  test('a survey with schedule "always" is shown once at each start', async () => {
    const always = { ...SURVEY, schedule: 'always' };
    const first = await startWith([always], { display: (open) => open.answer(['Speed']) });
    await first.capture('a');
    await first.client.flush();
    expect(first.ids()).toEqual(['one']);
    const platform = createFakePlatform({ stored: first.platform.stored, seed: 1 });
    expect((await startWith([always], { platform, display: (open) => open.dismiss() })).ids()).toEqual(['one']);
  });
});

test('an error of the application’s display is ignored', async () => {
  const { ids, capture, queuedAs } = await startWith([SURVEY, { ...SURVEY, id: 'two' }], {
    display: () => {
      throw new Error('no dialog');
    },
  });
  await capture('after');
  expect([ids(), queuedAs('after').length]).toEqual([['one', 'two'], 1]);
});

test('responses of all kinds are sent under the id and the index of their question', async () => {
  const questions = [
    ...SURVEY.questions,
    { id: 'q2', type: 'rating', question: 'How?', scale: 5 },
    { id: 'q3', type: 'open', question: 'More?', optional: true },
  ];
  const { opened, queuedAs, platform } = await startWith([{ ...SURVEY, questions }]);
  const [open] = opened;
  // a required question is not passed by
  for (const nothing of [null, '', [], Number.NaN]) expect(open?.answer(nothing)).toMatchObject({ index: 0 });
  expect(platform.warnings()).toHaveLength(1);
  for (const answer of [['Price', 'Speed'], 0, '']) open?.answer(answer);
  expect(queuedAs('survey sent')[0]?.properties).toMatchObject({
    $survey_response: ['Price', 'Speed'],
    $survey_response_q1: ['Price', 'Speed'],
    $survey_response_1: 0,
    $survey_response_q2: 0,
    $survey_response_2: null,
    $survey_questions: [{ id: 'q1', question: 'Why?' }, { response: 0 }, { response: null }],
  });
});

test('if the service fails the definitions of the last visit are used, without a request at each event', async () => {
  const first = await startWith([SURVEY]);
  await first.client.flush();
  const { stored } = first.platform;
  const platform = createFakePlatform({ stored, now: Date.UTC(2025, 0, 2), seed: 1 });
  platform.answer('/api/surveys/', 'fail');
  const opened: OpenSurvey[] = [];
  const features = [surveys({ display: (open) => opened.push(open) })];
  const { client } = startClient({ disable_flags: true }, { platform, features });
  for (let n = 0; n < 5; n++) {
    client.capture('a');
    await platform.advance(10);
  }
  expect([opened.length, platform.requestsTo('/api/surveys/').length]).toEqual([1, 1]);
  await platform.advance(60_000);
  client.capture('a');
  await platform.advance(10);
  expect(platform.requestsTo('/api/surveys/')).toHaveLength(2);
  await client.shutdown();
  expect(platform.pendingTimers()).toBe(0);
});

describe('the branching of a question', () => {
  const choices = ['Price', 'Speed', 'Other'];
  const first = { id: 'q0', type: 'single_choice', question: 'Why?', choices, hasOpenChoice: true, optional: true };
  const rating = (scale: number) => ({ ...first, type: 'rating', scale });
  const byAnswer = (responseValues: object) => ({ type: 'response_based', responseValues });
  test.each<[object, object, string | number | null, number | undefined]>([
    [first, { type: 'next_question' }, 'Price', 1],
    [first, { type: 'end' }, 'Price', undefined],
    [first, { type: 'specific_question', index: 3 }, 'Price', 3],
    [first, { type: 'specific_question', index: 9 }, 'Price', 1],
    [first, byAnswer({ 0: 'end', 1: 3, 2: 2 }), 'Price', undefined],
    [first, byAnswer({ 0: 'end', 1: 3, 2: 2 }), 'Speed', 3],
    [first, byAnswer({ 0: 'end', 1: 3, 2: 2 }), 'The colour', 2],
    [first, byAnswer({ 0: 'end', 1: 3, 2: 2 }), null, 1],
    [rating(10), byAnswer({ detractors: 3, passives: 2, promoters: 'end' }), 6, 3],
    [rating(10), byAnswer({ detractors: 3, passives: 2, promoters: 'end' }), 8, 2],
    [rating(10), byAnswer({ detractors: 3, passives: 2, promoters: 'end' }), 9, undefined],
    [rating(5), byAnswer({ negative: 3, neutral: 2, positive: 'end' }), 2, 3],
    [rating(5), byAnswer({ negative: 3, neutral: 2, positive: 'end' }), 3, 2],
    [rating(7), byAnswer({ negative: 3, neutral: 2, positive: 'end' }), 5, undefined],
    [rating(2), byAnswer({ negative: 3 }), 2, 3],
    [rating(2), byAnswer({ negative: 3 }), 1, 1],
  ])('%j with %j and the answer %s leads to question %s', async (question, branching, answer, next) => {
    const others = [1, 2, 3].map((n) => ({ id: `q${n}`, type: 'open', question: `${n}?` }));
    const { opened } = await startWith([{ ...SURVEY, questions: [{ ...question, branching }, ...others] }]);
    const step = opened[0]?.answer(answer);
    expect(step?.kind === 'question' ? step.index : undefined).toBe(next);
  });

  test('leads back, and is still there after the next start', async () => {
    const questions = [
      { id: 'a', type: 'open', question: 'A?' },
      { id: 'b', type: 'open', question: 'B?', branching: { type: 'specific_question', index: 0 } },
      { id: 'c', type: 'open', question: 'C?' },
    ];
    const first = await startWith([{ ...SURVEY, questions }]);
    first.opened[0]?.answer('1');
    expect(first.opened[0]?.answer('2')).toMatchObject({ index: 0 });
    await first.client.flush();
    const platform = createFakePlatform({ stored: first.platform.stored, seed: 1 });
    const second = await startWith([{ ...SURVEY, questions }], { platform });
    expect(second.opened[0]?.step()).toMatchObject({ index: 0 });
  });
});

test('with partial responses each answer is sent, as one submission', async () => {
  const questions = [1, 2].map((n) => ({ id: `q${n}`, type: 'open', question: `${n}?` }));
  const { opened, queuedAs } = await startWith([{ ...SURVEY, questions, enable_partial_responses: true }]);
  opened[0]?.answer('One');
  opened[0]?.answer('Two');
  const sent = queuedAs('survey sent').map(({ properties }) => properties);
  expect(sent).toMatchObject([
    { $survey_completed: false, $survey_response_q1: 'One' },
    { $survey_completed: true, $survey_response_q1: 'One', $survey_response_q2: 'Two' },
  ]);
  expect(sent[0]?.['$survey_submission_id']).toBe(sent[1]?.['$survey_submission_id']);
  expect(sent[0]).not.toHaveProperty('$survey_response_q2');
});

describe('a survey that must be prepared', () => {
  const prepared = async (prepare: () => Promise<boolean>, options: object = {}) => {
    const platform = createFakePlatform();
    platform.answer('/api/surveys/', {
      body: { surveys: [{ ...SURVEY, type: 'api', id: 'zero' }, SURVEY, { ...SURVEY, id: 'two' }] },
    });
    const ids: string[] = [];
    const feature = surveys(
      { display: ({ survey }) => ids.push(survey.id) },
      { prepare, displays: (type) => type === 'popover', ...options },
    );
    const started = startClient({ disable_flags: true }, { platform, features: [feature] });
    await platform.advance(50);
    return { ...started, ids, platform };
  };

  test('is shown afterwards, and types that cannot be displayed are left out', async () => {
    const { ids, queuedAs } = await prepared(async () => true);
    expect([ids, queuedAs('survey shown').length]).toEqual([['one'], 1]);
  });

  test('is not shown, nor captured as shown, when that fails', async () => {
    const fails = [async () => false, () => Promise.reject(new Error('no file'))];
    for (const prepare of fails) {
      const { ids, queuedAs } = await prepared(prepare);
      expect([ids, queuedAs('survey shown')]).toEqual([[], []]);
    }
  });

  test('is not shown when its conditions have changed meanwhile', async () => {
    let release = (_: boolean) => {};
    const { ids, client, platform } = await prepared(() => new Promise((resolve) => (release = resolve)));
    client.optOut();
    release(true);
    await platform.advance(10);
    expect(ids).toEqual([]);
  });
});
