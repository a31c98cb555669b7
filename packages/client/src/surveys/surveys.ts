import type { Survey } from '@tidemark/wire';
import type { Client, ClientInternals, Feature } from '../client.js';
import { isoTime } from '../event-time.js';
import { asksForEvents, isEligible, matchesUrl, waitsFor } from './conditions.js';
import { createDefinitions } from './definitions.js';
import { aboutSurvey, type OpenSurvey, openSurvey, parseProgress } from './open-survey.js';
import { translateSurvey } from './translations.js';

/** How surveys are shown. */
export interface SurveysOptions {
  /** Shows a survey. Called once for each survey whose conditions are met; the next one follows when this one is over. */
  display: (open: OpenSurvey) => void;
  /** Milliseconds after which the definitions of the surveys are requested again. Default one hour. */
  max_age_ms?: number;
  /** Language of the texts of surveys with translations, a BCP 47 tag. Default: the language of the browser or app. */
  language?: string;
}

export interface Surveys extends Feature {
  /** Checks the conditions again, after a change without an event, such as a new element on the page. */
  check(): void;
}

/** What a platform adds to surveys. */
export interface SurveysPorts {
  /** Whether an element is on the page, by its CSS selector; left out where there are no pages. */
  hasElement?(selector: string): boolean;
  /** Whether surveys of this type can be displayed; default all. */
  displays?(type: Survey['type']): boolean;
  /** Runs before a survey is displayed, whose conditions are checked again afterwards. Resolves to false if it cannot be displayed. */
  prepare?(survey: Survey): Promise<boolean>;
  /** Removes the survey on the screen, which `check` has found to be for another address. It can be shown again. */
  hide?(): void;
}

const HOUR_MS = 3_600_000;

/**
 * Shows the project's surveys to people. The application has the interface: `display` gets a survey, shows its steps and passes the answers on.
 * A person who has answered or dismissed a survey does not see it again.
 * @example
 * init('tmk_…', { features: [surveys({ display: (open) => showDialog(open) })] });
 */
export function surveys({ display, max_age_ms: maxAge = HOUR_MS, language }: SurveysOptions, ports: SurveysPorts = {}): Surveys {
  let check = () => {};
  return {
    name: 'surveys',
    check: () => check(),
    setup(client, internals) {
      const shower = createShower(client, internals, { display, maxAge, language, ...ports });
      check = shower.check;
      return () => {
        check = () => {};
        shower.stop();
      };
    },
  };
}

/** The key under which a survey is stored: each iteration is shown anew. */
const keyOf = ({ id, current_iteration: iteration }: Survey): string => (iteration ? `${id}/${iteration}` : id);

interface Settings extends SurveysPorts {
  display: SurveysOptions['display'];
  maxAge: number;
  language: string | undefined;
}

function createShower(client: Client, internals: ClientInternals, settings: Settings) {
  const { display, maxAge, hasElement = () => false, displays = () => true, prepare, hide } = settings;
  const { platform, guard, slot } = internals;
  const over = slot('surveys.over', (stored) =>
    Array.isArray(stored) ? stored.filter((id) => typeof id === 'string') : undefined,
  );
  const lastShown = slot('surveys.shown', (stored) => (typeof stored === 'number' ? stored : undefined));
  const progress = slot('surveys.progress', parseProgress);
  /** Ids of surveys that an event has activated, and keys of surveys shown since the start. */
  const activated = new Set<string>();
  const shown = new Set<string>();
  let current: string | undefined;
  /** The survey on the screen. */
  let visible: Survey | undefined;
  let stopped = false;
  let timer: unknown;

  const textOf = (name: string) => {
    const value = platform.context?.()[name];
    return typeof value === 'string' ? value : undefined;
  };
  const isHere = ({ conditions }: Survey) =>
    !conditions?.url || matchesUrl(textOf('$current_url'), conditions.url, conditions.urlMatchType);
  const isWanted = (survey: Survey): boolean =>
    !shown.has(keyOf(survey)) &&
    displays(survey.type) &&
    (survey.schedule === 'always' || !over.get()?.includes(keyOf(survey))) &&
    isEligible(survey, {
      now: platform.clock.now(),
      flag: (key) => client.getFeatureFlag(key, { tracking: false }),
      url: () => textOf('$current_url'),
      deviceType: () => textOf('$device_type'),
      hasElement: (selector) => guard(() => hasElement(selector)) ?? false,
      // a survey that was begun is continued, whatever was shown last
      lastShown: progress.get()?.[keyOf(survey)] ? undefined : lastShown.get(),
      isActivated: activated.has(survey.id),
    });

  const show = (definition: Survey) => {
    const wanted = settings.language ?? textOf('$browser_language') ?? textOf('$locale');
    const { survey, language } = translateSurvey(definition, wanted);
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
      language,
      save: (now) => progress.set({ ...without(), [id]: now }),
      closed() {
        over.set([...new Set([...(over.get() ?? []), id])]);
        progress.set(without());
        activated.delete(survey.id);
        if (current === id) [current, visible] = [undefined, undefined];
        soon();
      },
    });
    const now = platform.clock.now();
    lastShown.set(now);
    internals.capture('survey shown', aboutSurvey(survey, language), { $set: { $survey_last_seen_date: isoTime(now) } });
    visible = survey;
    try {
      display(open);
    } catch (error) {
      // a survey that cannot be shown does not block the others
      [current, visible] = [undefined, undefined];
      throw error;
    }
  };
  const check = () => {
    timer = undefined;
    if (client.isOptedOut()) return;
    definitions.refresh();
    if (hide && visible && !isHere(visible)) {
      shown.delete(keyOf(visible));
      [current, visible] = [undefined, undefined];
      hide();
    }
    if (current !== undefined) return;
    const next = definitions.all().find(isWanted);
    if (!next) return;
    // another tab may have stored an answer
    over.refresh();
    if (!isWanted(next)) return;
    if (prepare) void showPrepared(next, prepare);
    else show(next);
  };
  const showPrepared = async (survey: Survey, ready: NonNullable<SurveysPorts['prepare']>) => {
    current = keyOf(survey);
    const isReady = await ready(survey).catch(() => false);
    current = undefined;
    if (stopped || client.isOptedOut()) return;
    if (!isReady) shown.add(keyOf(survey));
    over.refresh();
    if (isWanted(survey)) guard(() => show(survey));
    if (current === undefined) soon();
  };
  /** In a timer, so that several changes cause one check. */
  const soon = () => {
    timer ??= platform.timers.set(() => guard(check), 0);
  };
  const definitions = createDefinitions(client, internals, maxAge, soon);

  /** Activates the surveys of an event; those with `repeatedActivation` can be shown again. */
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
      stopped = true;
      platform.timers.clear(timer);
      for (const end of listening) end();
    },
  };
}
