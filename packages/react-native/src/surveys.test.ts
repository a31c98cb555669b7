import { createFakePlatform } from '@tidemark/client/testing';
import { expect, test } from 'vitest';
import { type OpenSurvey, surveys } from './index.js';
import { createPhone, startApp } from './testing/start-app.js';

test('SVY-3 surveys for addresses or elements of pages are skipped in apps; others are displayed when storage has responded', async () => {
  const survey = (id: string, conditions: object | null) => {
    const questions = [{ id: 'q1', type: 'open', question: 'How was it?' }];
    return { id, name: id, questions, conditions, start_date: '2024-12-01T00:00:00Z', end_date: null };
  };
  const definitions = [
    survey('page', { url: '/cart' }),
    survey('no page', { url: '/cart', urlMatchType: 'is_not' }),
    survey('element', { selector: 'body' }),
    survey('app', null),
  ];
  const platform = createFakePlatform();
  platform.answer('/api/surveys/', { body: { surveys: definitions } });
  const opened: OpenSurvey[] = [];
  const options = { disable_remote_config: true, features: [surveys({ display: (open) => opened.push(open) })] };
  const { client, flushed } = startApp(options, createPhone(), platform);
  await client.ready();
  await platform.advance(50);
  expect(opened.map(({ survey }) => survey.id)).toEqual(['app']);
  opened[0]?.answer('Great');
  const events = (await flushed()).filter(({ event }) => event.startsWith('survey'));
  expect(events.map(({ event, properties }) => [event, properties['$survey_response']])).toEqual([
    ['survey shown', undefined],
    ['survey sent', 'Great'],
  ]);
});
