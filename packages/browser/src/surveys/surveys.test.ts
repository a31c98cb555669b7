// @vitest-environment happy-dom
import type { OpenSurvey } from '@tidemark/client';
import { createFakePlatform, startClient } from '@tidemark/client/testing';
import { expect, test } from 'vitest';
import { browserContext } from '../platform/context.js';
import { surveys } from './surveys.js';

test('SVY-1 surveys appear on pages by address and selector', async () => {
  const survey = (id: string, conditions: object) => {
    const questions = [{ id: 'q1', type: 'open', question: 'How was it?' }];
    return { id, name: id, questions, conditions, start_date: '2024-12-01T00:00:00Z', end_date: null };
  };
  const definitions = [
    survey('elsewhere', { url: '/thanks' }),
    survey('not there', { selector: '#pay' }),
    survey('no selector', { selector: '##' }),
    survey('here', { url: location.href, urlMatchType: 'exact' }),
    survey('there', { selector: 'main > .cart' }),
  ];
  document.body.innerHTML = '<main><p class="cart"></p></main>';
  const platform = Object.assign(createFakePlatform(), { context: browserContext({}) });
  platform.answer('/api/surveys/', { body: { surveys: definitions } });
  const ids: string[] = [];
  const display = (open: OpenSurvey) => {
    ids.push(open.survey.id);
    open.dismiss();
  };
  startClient({ disable_flags: true }, { platform, features: [surveys({ display })] });
  await platform.advance(50);
  expect(ids).toEqual(['here', 'there']);
});
