import { expect, test } from 'vitest';
import type { Submission, Survey } from '../../data/surveys.js';
import { draftOf, faultsOf, fieldsOf, hasFaults } from './draft.js';
import { summaryOf } from './summary.js';

const QUESTIONS = [
  {
    id: 'ease',
    type: 'rating',
    question: 'How easy was it?',
    display: 'number',
    scale: 5,
    lowerBoundLabel: 'Hard',
    branching: { type: 'response_based', responseValues: { positive: 'end', negative: 2 } },
    translations: { fr: { question: 'Facile ?' } },
    skipSubmitButton: true,
  },
  { id: 'who', type: 'multiple_choice', question: 'Who?', choices: ['Me', 'You', 'Other'], hasOpenChoice: true },
  { id: 'why', type: 'open', question: 'Why?', optional: true },
];
const STORED = {
  id: 'u',
  name: 'After checkout',
  description: '',
  type: 'popover',
  questions: QUESTIONS,
  conditions: { url: '/thanks', urlMatchType: 'exact', events: { values: [{ name: 'paid' }], repeatedActivation: true } },
  appearance: { position: 'left', shuffleQuestions: false },
  translations: { fr: { submitButtonText: 'Envoyer' } },
  linked_flag_id: null,
  targeting_flag_filters: {
    groups: [{ properties: [{ type: 'person', key: 'plan', value: ['pro'] }], rollout_percentage: 10 }],
  },
  schedule: 'once',
  iteration_count: null,
  iteration_frequency_days: null,
  responses_limit: 100,
  enable_partial_responses: false,
  start_date: null,
  end_date: null,
  archived: false,
} as unknown as Survey;

test('a stored draft is read unchanged', () => {
  const { id: _id, start_date: _start, end_date: _end, archived: _archived, ...stored } = STORED;
  expect(fieldsOf(draftOf(STORED))).toEqual(stored);
});

test('a branch follows the question that was moved, and is gone with it', () => {
  const draft = draftOf(STORED);
  const [ease, who, why] = draft.questions;
  if (!ease || !who || !why) throw new Error('the survey has three questions');
  const [moved] = fieldsOf({ ...draft, questions: [ease, why, who] }).questions ?? [];
  expect(moved?.['branching']).toEqual({ type: 'response_based', responseValues: { positive: 'end', negative: 1 } });
  const [left] = fieldsOf({ ...draft, questions: [ease, who] }).questions ?? [];
  expect(left?.['branching']).toEqual({ type: 'response_based', responseValues: { positive: 'end' } });
});

test('targeting by several conditions, which the editor does not show, stays', () => {
  const survey = { ...STORED, targeting_flag_filters: { groups: [{}, {}] } } as Survey;
  expect(fieldsOf(draftOf(survey))).not.toHaveProperty('targeting_flag_filters');
});

test('what the service would refuse is a fault', () => {
  const good = draftOf(STORED);
  expect(hasFaults(faultsOf(good))).toBe(false);
  expect(faultsOf({ ...good, questions: [] }).questions).not.toBeNull();
  expect(faultsOf({ ...good, questions: good.questions.map((one) => ({ ...one, question: ' ' })) }).question.size).toBe(3);
  expect(faultsOf({ ...good, schedule: 'recurring' }).targeting).not.toBeNull();
});

const sent = (answers: Record<string, string[]>): Submission => ({
  uuid: 'x',
  personId: null,
  person: 'ada',
  timestamp: '2026-11-01T00:00:00Z',
  isComplete: true,
  answers,
});

test('answers are counted in the order of the scale and of the choices', () => {
  const [ease, who] = draftOf(STORED).questions;
  if (!ease || !who) throw new Error('the survey has questions');
  const submissions = [
    sent({ ease: ['5'], who: ['Me', 'My dog'] }),
    sent({ ease: ['4'], who: ['Me'] }),
    sent({ why: ['Because'] }),
  ];
  expect(summaryOf(ease, submissions)).toMatchObject({
    answered: 2,
    counts: [
      ['1', 0],
      ['2', 0],
      ['3', 0],
      ['4', 1],
      ['5', 1],
    ],
    score: 'Mean 4.50',
  });
  expect(summaryOf(who, submissions)).toMatchObject({
    answered: 2,
    counts: [
      ['Me', 2],
      ['You', 0],
      ['Other', 1],
    ],
    texts: [{ text: 'My dog' }],
  });
});

test('the score of a recommendation is promoters less detractors', () => {
  const nps = draftOf({
    ...STORED,
    questions: [{ id: 'n', type: 'rating', question: 'Likely?', scale: 10 }],
  } as unknown as Survey).questions[0];
  if (!nps) throw new Error('the survey has a question');
  expect(nps.kind).toBe('nps');
  const submissions = ['10', '9', '8', '3'].map((answer) => sent({ n: [answer] }));
  expect(summaryOf(nps, submissions).score).toBe('NPS 25');
});
