import type { Survey, SurveyConditions, SurveyUrlMatch } from '@tidemark/wire';
import type { FlagValue } from '../flags/types.js';

/** What the conditions of surveys are checked against. */
export interface SurveyFacts {
  /** Epoch milliseconds. */
  now: number;
  /** Value of a flag; undefined: not known. */
  flag(key: string): FlagValue | undefined;
  /** Address of the page; undefined where there are no pages. */
  url(): string | undefined;
  /** `Desktop`, `Mobile`, `Tablet` or another type of the platform; undefined where it is unknown. */
  deviceType(): string | undefined;
  /** Whether an element with this CSS selector is on the page; always false in apps. */
  hasElement(selector: string): boolean;
  /** When any survey was shown last, in epoch milliseconds. */
  lastShown: number | undefined;
  /** Whether one of its events has happened. */
  isActivated: boolean;
}

const DAY_MS = 86_400_000;

/** Whether the conditions of a survey are met. Earlier answers of the person are not considered. */
export function isEligible(survey: Survey, facts: SurveyFacts): boolean {
  const { conditions } = survey;
  const { url, selector, seenSurveyWaitPeriodInDays: days } = conditions ?? {};
  return (
    isRunning(survey, facts.now) &&
    flagsAreOn(survey, facts) &&
    (!asksForEvents(survey) || facts.isActivated) &&
    (!days || facts.lastShown === undefined || facts.now - facts.lastShown >= days * DAY_MS) &&
    (!conditions?.deviceTypes?.length || matchesDevice(facts.deviceType(), conditions)) &&
    (!url || matchesUrl(facts.url(), url, conditions?.urlMatchType)) &&
    (!selector || facts.hasElement(selector))
  );
}

/** Whether an event must activate the survey. */
export const asksForEvents = ({ conditions }: Survey): boolean => Boolean(conditions?.events?.values.length);

/** Whether an event activates the survey. */
export const waitsFor = ({ conditions }: Survey, event: string): boolean =>
  Boolean(conditions?.events?.values.some(({ name }) => name === event));

function isRunning({ start_date, end_date }: Survey, now: number): boolean {
  return start_date !== null && Date.parse(start_date) <= now && (end_date === null || Date.parse(end_date) > now);
}

function flagsAreOn(survey: Survey, { flag }: SurveyFacts): boolean {
  const isOn = (key: string | null | undefined) => !key || Boolean(flag(key));
  const variant = survey.conditions?.linkedFlagVariant;
  return (
    isOn(survey.linked_flag_key) &&
    (!survey.linked_flag_key || !variant || variant === 'any' || flag(survey.linked_flag_key) === variant) &&
    isOn(survey.targeting_flag_key) &&
    isOn(survey.internal_targeting_flag_key)
  );
}

/** Whether a device type matches the survey; an unknown type never does. */
function matchesDevice(type: string | undefined, { deviceTypes = [], deviceTypesMatchType: how }: SurveyConditions): boolean {
  const matches = (wanted: string) => matchesUrl(type, wanted, how);
  return how?.includes('not') ? deviceTypes.every(matches) : deviceTypes.some(matches);
}

/** Whether a URL, or another text, matches; undefined never does. */
export function matchesUrl(url: string | undefined, wanted: string, how: SurveyUrlMatch = 'icontains'): boolean {
  if (url === undefined) return false;
  switch (how) {
    case 'exact':
      return url === wanted;
    case 'is_not':
      return url !== wanted;
    case 'icontains':
      return url.toLowerCase().includes(wanted.toLowerCase());
    case 'not_icontains':
      return !url.toLowerCase().includes(wanted.toLowerCase());
    case 'regex':
      return matchesPattern(url, wanted);
    case 'not_regex':
      return !matchesPattern(url, wanted);
    default:
      return false;
  }
}

function matchesPattern(url: string, pattern: string): boolean {
  try {
    return new RegExp(pattern).test(url);
  } catch {
    return false;
  }
}
