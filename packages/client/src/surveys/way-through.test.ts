import type { Survey } from '@tidemark/wire';
import { describe, expect, test } from 'vitest';
import { createFakePlatform, type FakePlatform, startClient } from '../testing/index.js';
import type { OpenSurvey, SurveyStep } from './open-survey.js';
import { surveys } from './surveys.js';

const open = (id: string) => ({ id, type: 'open', question: `${id}?` });
const BRANCH = {
  id: 'how',
  type: 'single_choice',
  question: 'How was it?',
  choices: ['Good', 'Bad'],
  branching: { type: 'response_based', responseValues: { 0: 'end', 1: 1 } },
};

interface World {
  platform?: FakePlatform;
  url?: () => string;
  language?: string;
  hide?: () => void;
}

async function startWith(survey: object, { platform = createFakePlatform(), url, language, hide }: World = {}) {
  const definition = { id: 'one', name: 'Feedback', start_date: '2024-12-01T00:00:00Z', end_date: null, ...survey };
  platform.answer('/api/surveys/', { body: { surveys: [definition] } });
  const context = () => ({ $browser_language: 'fr-CA', ...(url ? { $current_url: url() } : {}) });
  const opened: OpenSurvey[] = [];
  const feature = surveys({ display: (shown) => opened.push(shown), ...(language ? { language } : {}) }, hide && { hide });
  const started = startClient({ disable_flags: true }, { platform: Object.assign(platform, { context }), features: [feature] });
  await platform.advance(50);
  return { ...started, opened, feature, platform };
}
const idOf = (step: SurveyStep | undefined) => (step?.kind === 'question' ? step.question.id : step?.kind);

describe('a survey that allows going back', () => {
  const survey = { questions: [BRANCH, open('why'), open('more')], appearance: { allowGoBack: true } };

  test('shows the earlier answer, and sends only answers of the way that was taken in the end', async () => {
    const { opened, queuedAs } = await startWith(survey);
    const [shown] = opened;
    expect(shown?.step()).toMatchObject({ canGoBack: false, given: undefined });
    expect(shown?.answer('Bad')).toMatchObject({ question: { id: 'why' }, canGoBack: true });
    shown?.answer('Slow');
    expect(shown?.back()).toMatchObject({ question: { id: 'why' }, given: 'Slow' });
    expect(shown?.back()).toMatchObject({ question: { id: 'how' }, given: 'Bad', canGoBack: false });
    expect(idOf(shown?.back())).toBe('how');
    expect(shown?.answer('Good')).toEqual({ kind: 'end', answered: true });
    const [sent] = queuedAs('survey sent');
    expect(sent?.properties).toMatchObject({ $survey_response_how: 'Good' });
    expect(sent?.properties).not.toHaveProperty('$survey_response_why');
  });

  test('leads back also after the page was loaded again', async () => {
    const first = await startWith(survey);
    first.opened[0]?.answer('Bad');
    await first.client.flush();
    const platform = createFakePlatform({ stored: first.platform.stored, seed: 1 });
    const { opened } = await startWith(survey, { platform });
    expect(opened[0]?.step()).toMatchObject({ question: { id: 'why' }, canGoBack: true });
    expect(opened[0]?.back()).toMatchObject({ question: { id: 'how' }, given: 'Bad' });
  });

  test('does not lead back unless its settings say so', async () => {
    const { opened } = await startWith({ ...survey, appearance: null });
    expect(opened[0]?.answer('Bad')).toMatchObject({ canGoBack: false });
    expect(idOf(opened[0]?.back())).toBe('why');
  });
});

describe('shuffled questions', () => {
  const ids = Array.from({ length: 12 }, (_, index) => `q${index}`);
  const survey = { questions: ids.map(open), appearance: { shuffleQuestions: true } };

  test('come each once in another order, which stays when the page is loaded again, and have the index of their definition', async () => {
    const first = await startWith(survey);
    const seen: (string | undefined)[] = [];
    for (let at = 0; at < 5; at++) {
      seen.push(idOf(first.opened[0]?.step()));
      first.opened[0]?.answer(`answer ${seen.at(-1)}`);
    }
    await first.client.flush();
    const platform = createFakePlatform({ stored: first.platform.stored, seed: 1 });
    const { opened, queuedAs } = await startWith(survey, { platform });
    for (let at = 5; at < ids.length; at++) {
      seen.push(idOf(opened[0]?.step()));
      opened[0]?.answer(`answer ${seen.at(-1)}`);
    }
    expect([...seen].sort()).toEqual([...ids].sort());
    expect(seen).not.toEqual(ids);
    const [sent] = queuedAs('survey sent');
    expect(sent?.properties).toMatchObject({ $survey_response: 'answer q0', $survey_response_7: 'answer q7' });
  });

  test.each([
    ['partial responses', { enable_partial_responses: true }],
    ['branching', { questions: [{ ...open('q0'), branching: { type: 'next_question' } }, ...ids.slice(1).map(open)] }],
  ])('stay in their order with %s', async (_, more) => {
    const { opened } = await startWith({ ...survey, ...more });
    const seen = ids.map((id) => {
      const now = idOf(opened[0]?.step());
      opened[0]?.answer(id);
      return now;
    });
    expect(seen).toEqual(ids);
  });
});

describe('translations', () => {
  const choice = { id: 'q', type: 'single_choice', question: 'Why?', choices: ['Price', 'Speed'] };
  const survey: object = {
    questions: [
      {
        ...choice,
        translations: {
          FR: { question: 'Pourquoi ?', choices: ['Prix', 'Vitesse'], lowerBoundLabel: 3 },
          de: { question: 'Warum?', choices: ['Nur eine'] },
        },
      },
    ],
    appearance: { thankYouMessageHeader: 'Thanks', submitButtonText: 'Send' },
    translations: { fr: { thankYouMessageHeader: 'Merci', name: 'Avis' }, 'de-AT': { submitButtonText: 'Ab' } },
  };

  test('of the base language of the browser apply, and events name the language', async () => {
    const { opened, queuedAs } = await startWith(survey);
    expect(opened[0]?.survey).toMatchObject({
      name: 'Feedback',
      questions: [{ question: 'Pourquoi ?', choices: ['Prix', 'Vitesse'] }],
      appearance: { thankYouMessageHeader: 'Merci', submitButtonText: 'Send' },
    });
    opened[0]?.answer('Prix');
    for (const name of ['survey shown', 'survey sent']) {
      expect(queuedAs(name)[0]?.properties).toMatchObject({ $survey_language: 'fr', $survey_name: 'Feedback' });
    }
  });

  test.each([
    ['de-AT', 'Warum?', 'Ab', 'de-AT'],
    ['DE', 'Warum?', 'Send', 'de'],
    ['it', 'Why?', 'Send', undefined],
  ])('of the language %s of the application', async (language, question, submitButtonText, named) => {
    const { opened, queuedAs } = await startWith(survey, { language });
    // a list of choices with another length is no translation
    expect(opened[0]?.survey).toMatchObject({
      questions: [{ question, choices: choice.choices }],
      appearance: { submitButtonText },
    });
    expect(queuedAs('survey shown')[0]?.properties['$survey_language']).toBe(named);
  });
});

test('a survey for an address is hidden at another one without an answer, and is displayed again with its progress', async () => {
  let url = 'https://shop.example/cart';
  let hidden = 0;
  const conditions: Survey['conditions'] = { url: '/cart' };
  const world = { url: () => url, hide: () => hidden++ };
  const { opened, feature, platform, queuedAs } = await startWith({ questions: [open('a'), open('b')], conditions }, world);
  opened[0]?.answer('yes');
  const go = async (to: string) => {
    url = `https://shop.example${to}`;
    feature.check();
    await platform.advance(0);
  };
  await go('/cart?step=2');
  expect(hidden).toBe(0);
  await go('/home');
  expect([hidden, opened.length]).toEqual([1, 1]);
  await go('/cart');
  expect([hidden, opened.length, idOf(opened[1]?.step())]).toEqual([1, 2, 'b']);
  expect(queuedAs('survey dismissed')).toEqual([]);
});
