import type { Survey } from '@tidemark/wire';
import type { Client, ClientInternals, Feature } from '../client.js';
import { isoTime } from '../event-time.js';
import { asksForEvents, isEligible, waitsFor } from './conditions.js';
import { createDefinitions } from './definitions.js';
import { aboutSurvey, type OpenSurvey, openSurvey, parseProgress } from './open-survey.js';

/** How surveys are shown. */
export interface SurveysOptions {
  /** Shows a survey. Called once for each that the person is to be asked, one at a time: the next when this one is over. */
  display: (open: OpenSurvey) => void;
  /** Milliseconds after which the definitions of the surveys are asked for again. Default one hour. */
  max_age_ms?: number;
}

export interface Surveys extends Feature {
  /** Looks again whether the person is to be asked, after a change that no event tells of, such as a new element on the page. */
  check(): void;
}

const HOUR_MS = 3_600_000;

/**
 * Asks people the questions of the surveys that the project runs. The interface is the application's: it is given what to show, and
 * says what was answered. Who has answered or dismissed a survey is not asked again.
 * @param hasElement whether an element is on the page, by its CSS selector; left out where there are no pages
 * @example
 * init('tmk_…', { features: [surveys({ display: (open) => showDialog(open) })] });
 */
export function surveys(
  { display, max_age_ms: maxAge = HOUR_MS }: SurveysOptions,
  hasElement?: (selector: string) => boolean,
): Surveys {
  let check = () => {};
  return {
    name: 'surveys',
    check: () => check(),
    setup(client, internals) {
      const shower = createShower(client, internals, { display, maxAge, hasElement: hasElement ?? (() => false) });
      check = shower.check;
      return () => {
        check = () => {};
        shower.stop();
      };
    },
  };
}

/** What is remembered of a survey: each iteration asks anew. */
const keyOf = ({ id, current_iteration: iteration }: Survey): string => (iteration ? `${id}/${iteration}` : id);

interface Settings {
  display: SurveysOptions['display'];
  maxAge: number;
  hasElement: (selector: string) => boolean;
}

function createShower(client: Client, internals: ClientInternals, { display, maxAge, hasElement }: Settings) {
  const { platform, guard, slot } = internals;
  const over = slot('surveys.over', (stored) =>
    Array.isArray(stored) ? stored.filter((id) => typeof id === 'string') : undefined,
  );
  const lastShown = slot('surveys.shown', (stored) => (typeof stored === 'number' ? stored : undefined));
  const progress = slot('surveys.progress', parseProgress);
  /** Of surveys that wait for events, whether one came, by id; and what was shown since the start, by key. */
  const activated = new Set<string>();
  const shown = new Set<string>();
  let current: string | undefined;
  let timer: unknown;

  const textOf = (name: string) => {
    const value = platform.context?.()[name];
    return typeof value === 'string' ? value : undefined;
  };
  const isWanted = (survey: Survey): boolean =>
    !shown.has(keyOf(survey)) &&
    (survey.schedule === 'always' || !over.get()?.includes(keyOf(survey))) &&
    isEligible(survey, {
      now: platform.clock.now(),
      flag: (key) => client.getFeatureFlag(key, { tracking: false }),
      url: () => textOf('$current_url'),
      deviceType: () => textOf('$device_type'),
      hasElement: (selector) => guard(() => hasElement(selector)) ?? false,
      // who has begun is asked the rest
      lastShown: progress.get()?.[keyOf(survey)] ? undefined : lastShown.get(),
      isActivated: activated.has(survey.id),
    });

  const show = (survey: Survey) => {
    const id = keyOf(survey);
    const without = () => {
      const { [id]: _, ...others } = progress.get() ?? {};
      return others;
    };
    shown.add(id);
    current = id;
    const begun = progress.get()?.[id] ?? { submission: platform.ids.uuid7(), answers: {} };
    const open = openSurvey(survey, begun, {
      capture: internals.capture,
      warn: internals.log.warn,
      save: (now) => progress.set({ ...without(), [id]: now }),
      closed() {
        over.set([...new Set([...(over.get() ?? []), id])]);
        progress.set(without());
        activated.delete(survey.id);
        if (current === id) current = undefined;
        soon();
      },
    });
    const now = platform.clock.now();
    lastShown.set(now);
    internals.capture('survey shown', aboutSurvey(survey), { $set: { $survey_last_seen_date: isoTime(now) } });
    try {
      display(open);
    } catch (error) {
      // it holds up no other
      current = undefined;
      throw error;
    }
  };
  const check = () => {
    timer = undefined;
    if (client.isOptedOut()) return;
    definitions.refresh();
    if (current !== undefined) return;
    const next = definitions.all().find(isWanted);
    if (!next) return;
    // it may have been answered in another tab
    over.refresh();
    if (isWanted(next)) show(next);
  };
  /** Not at once: the page may be about to do something else, and several changes come together. */
  const soon = () => {
    timer ??= platform.timers.set(() => guard(check), 0);
  };
  const definitions = createDefinitions(client, internals, maxAge, soon);

  /** An event makes those wanted that wait for it; some again and again. */
  const activate = (event: string) => {
    for (const survey of definitions.all()) {
      if (!asksForEvents(survey) || !waitsFor(survey, event)) continue;
      activated.add(survey.id);
      const key = keyOf(survey);
      if (!survey.conditions?.events?.repeatedActivation || current === key) continue;
      shown.delete(key);
      over.set(over.get()?.filter((id) => id !== key));
    }
  };
  const listening = [
    client.on('eventCaptured', ({ event }) => {
      if (event.startsWith('survey ')) return;
      activate(event);
      soon();
    }),
    client.on('featureFlags', soon),
    client.on('config', soon),
    client.on('consent', soon),
    client.on('identity', ({ reason, adopted }) => {
      if (reason !== 'reset') return;
      if (!adopted) for (const one of [over, lastShown, progress]) one.set(undefined);
      for (const ids of [activated, shown]) ids.clear();
      soon();
    }),
  ];
  soon();
  return {
    check: soon,
    stop() {
      platform.timers.clear(timer);
      for (const end of listening) end();
    },
  };
}
