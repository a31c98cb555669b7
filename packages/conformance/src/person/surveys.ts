import { type OpenSurvey, surveys } from '@tidemark/client';
import type { FakePlatform } from '@tidemark/client/testing';
import { describe, expect, test } from 'vitest';
import type { Start, Started } from '../drivers/driver.js';

const SURVEY = {
  id: 'survey-1',
  name: 'Feedback',
  description: '',
  type: 'api',
  questions: [{ id: 'q1', type: 'open', question: 'How was it?' }],
  conditions: null,
  appearance: null,
  start_date: '2024-12-01T00:00:00Z',
  end_date: null,
  linked_flag_key: null,
  targeting_flag_key: null,
  internal_targeting_flag_key: null,
  feature_flag_keys: null,
  current_iteration: null,
  current_iteration_start_date: null,
};
const TWO = [
  { id: 'q1', type: 'open', question: 'How was it?' },
  { id: 'q2', type: 'open', question: 'What else?', optional: true },
];

export function surveysContract(start: Start): void {
  /** A client whose server has these surveys; `opened`: all displayed surveys, in order. */
  async function startWith(definitions: object[], options: Parameters<Start>[0] = {}) {
    const opened: OpenSurvey[] = [];
    const feature = () => surveys({ display: (open) => opened.push(open) });
    const world = (platform: FakePlatform) =>
      platform.answer('/api/surveys/', { body: { surveys: definitions, survey_config: null } });
    const all = { disable_flags: true, ...options, features: [feature()] };
    const started = await start(all, { world });
    await started.platform.advance(50);
    return { ...started, opened, next: () => again(started, { ...all, features: [feature()] }, world) };
  }
  async function again(before: Started, options: object, world: (platform: FakePlatform) => void): Promise<Started> {
    await before.platform.advance(1_000);
    await before.client.shutdown();
    const started = await before.restart(options, { world });
    await started.platform.advance(50);
    return started;
  }
  const surveyRequests = ({ platform }: Started) => platform.requestsTo('/api/surveys/').length;
  const aboutSurveys = ({ queued }: Started) => queued.map(({ event }) => event).filter((event) => event.startsWith('survey'));

  describe('surveys', () => {
    test('SVY-1 they are displayed once, with an event, one at a time', async () => {
      const started = await startWith([SURVEY, { ...SURVEY, id: 'survey-2' }]);
      const { client, platform, opened } = started;
      for (const event of ['a', 'b']) client.capture(event);
      await platform.advance(1_000);
      expect(opened.map(({ survey }) => survey.id)).toEqual(['survey-1']);
      expect(started.queuedAs('survey shown').map(({ properties }) => properties)).toEqual([
        expect.objectContaining({ $survey_id: 'survey-1', $survey_name: 'Feedback' }),
      ]);
      opened[0]?.dismiss();
      await platform.advance(0);
      expect(opened.map(({ survey }) => survey.id)).toEqual(['survey-1', 'survey-2']);
    });

    test('SVY-1 they are cached: the next start loads them only if the cache is old', async () => {
      const started = await startWith([SURVEY]);
      const second = await started.next();
      expect([surveyRequests(started), surveyRequests(second), started.opened.length]).toEqual([1, 0, 2]);
      await second.platform.advance(3_600_000);
      second.client.capture('later');
      await second.platform.advance(0);
      expect(surveyRequests(second)).toBe(1);
    });

    test('SVY-1 they are not displayed again after a dismissal or a response, also after a restart', async () => {
      for (const close of [(open?: OpenSurvey) => open?.dismiss(), (open?: OpenSurvey) => open?.answer('Great')]) {
        const started = await startWith([SURVEY]);
        close(started.opened[0]);
        await started.next();
        expect(started.opened).toHaveLength(1);
      }
    });

    test('SVY-1 a dismissal is an event', async () => {
      const started = await startWith([{ ...SURVEY, questions: TWO }]);
      started.opened[0]?.answer('Great');
      expect(started.opened[0]?.dismiss()).toEqual({ kind: 'end', answered: false });
      started.opened[0]?.dismiss();
      started.opened[0]?.answer('late');
      expect(aboutSurveys(started)).toEqual(['survey shown', 'survey dismissed']);
      expect(started.queuedAs('survey dismissed')[0]?.properties).toMatchObject({
        $survey_id: 'survey-1',
        $survey_partially_completed: true,
        $survey_response: 'Great',
        $set: { '$survey_dismissed/survey-1': true },
      });
    });

    test('SVY-2 a response is one event', async () => {
      const started = await startWith([SURVEY]);
      expect(started.opened[0]?.answer('Great')).toEqual({ kind: 'end', answered: true });
      started.opened[0]?.answer('Great');
      started.opened[0]?.dismiss();
      expect(aboutSurveys(started)).toEqual(['survey shown', 'survey sent']);
      expect(started.queuedAs('survey sent')[0]?.properties).toMatchObject({
        $survey_id: 'survey-1',
        $survey_name: 'Feedback',
        $survey_response: 'Great',
        $survey_response_q1: 'Great',
        $survey_completed: true,
        $survey_submission_id: expect.any(String),
        $survey_questions: [{ id: 'q1', question: 'How was it?', response: 'Great' }],
        $set: { '$survey_responded/survey-1': true },
      });
    });

    test('SVY-2 several answers are one event, also if the rest is answered after the next start', async () => {
      const first = await startWith([{ ...SURVEY, questions: TWO, appearance: { displayIntroScreen: true } }]);
      first.opened[0]?.start();
      expect(first.opened[0]?.answer('')).toMatchObject({ kind: 'question', index: 0 });
      expect(first.opened[0]?.answer('Great')).toMatchObject({ kind: 'question', index: 1 });
      const second = await first.next();
      // a resumed survey skips the introduction
      expect(first.opened[1]?.step()).toMatchObject({ kind: 'question', index: 1, question: { id: 'q2' } });
      expect(first.opened[1]?.answer(null)).toEqual({ kind: 'end', answered: true });
      expect([first.queuedAs('survey sent'), second.queuedAs('survey sent')]).toMatchObject([
        [],
        [{ properties: { $survey_response: 'Great', $survey_response_q1: 'Great', $survey_response_1: null } }],
      ]);
    });

    test('SVY-2 while opted out, nothing is loaded, displayed or queued', async () => {
      const out = await startWith([SURVEY], { opt_out_by_default: true });
      expect([surveyRequests(out), out.opened, out.queued]).toEqual([0, [], []]);
      out.client.optIn();
      await out.platform.advance(50);
      expect([surveyRequests(out), out.opened.length]).toEqual([1, 1]);
      out.client.optOut();
      out.opened[0]?.answer('Great');
      expect(aboutSurveys(out)).toEqual(['survey shown']);
    });

    test('SVY-3 the end of the intro screen queues nothing and shows the first question', async () => {
      const started = await startWith([{ ...SURVEY, appearance: { displayIntroScreen: true } }]);
      const [open] = started.opened;
      expect(open?.step()).toEqual({ kind: 'intro' });
      expect(open?.answer('too early')).toEqual({ kind: 'intro' });
      expect(open?.start()).toMatchObject({ kind: 'question', index: 0 });
      expect(aboutSurveys(started)).toEqual(['survey shown']);
      open?.answer('Great');
      expect(started.queuedAs('survey sent')[0]?.properties).toMatchObject({ $survey_response: 'Great' });
    });

    test('SVY-3 there is no intro screen by default, and its dismissal dismisses the survey', async () => {
      expect((await startWith([SURVEY])).opened[0]?.step()).toMatchObject({ kind: 'question' });
      const started = await startWith([{ ...SURVEY, appearance: { displayIntroScreen: true } }]);
      started.opened[0]?.dismiss();
      expect(aboutSurveys(started)).toEqual(['survey shown', 'survey dismissed']);
      expect(started.queuedAs('survey dismissed')[0]?.properties).toMatchObject({ $survey_partially_completed: false });
    });

    test('SVY-1 they are loaded only if the project has any', async () => {
      for (const [runs, requests] of [
        [false, 0],
        [true, 1],
      ] as const) {
        const opened: OpenSurvey[] = [];
        const options = {
          disable_flags: true,
          disable_remote_config: false,
          features: [surveys({ display: (open) => opened.push(open) })],
        };
        const started = await start(options, {
          world: (platform) => {
            platform.answer('/array/', { body: { surveys: runs } });
            platform.answer('/api/surveys/', { body: { surveys: [SURVEY] } });
          },
        });
        await started.platform.advance(50);
        expect([surveyRequests(started), opened.length]).toEqual([requests, requests]);
      }
    });

    test('SVY-1 a malformed survey is ignored', async () => {
      const odd = [{}, { ...SURVEY, questions: [] }, { ...SURVEY, questions: [null] }, { ...SURVEY, id: 7 }];
      const started = await startWith([...odd, SURVEY]);
      expect(started.opened.map(({ survey }) => survey.id)).toEqual(['survey-1']);
    });
  });
}
