import type { Survey } from '@tidemark/wire';
import type { Client, ClientInternals } from '../client.js';
import { isRecord } from '../is-record.js';

/** The surveys that the project runs, as far as they are known here. */
export interface Definitions {
  all(): readonly Survey[];
  /** Asks the service, unless what is known is young enough. */
  refresh(): void;
}

interface Kept {
  /** When they came, in epoch milliseconds. */
  at: number;
  surveys: Survey[];
}

/** Between two requests, whatever came of the first. */
const PAUSE_MS = 60_000;

/**
 * Keeps the definitions of surveys in memory and in storage. A project that says in its config that it runs none is not asked.
 * @param maxAgeMs after which the service is asked again; until it answers, the old ones count
 * @param changed called when others have come
 */
export function createDefinitions(
  client: Client,
  internals: ClientInternals,
  maxAgeMs: number,
  changed: () => void,
): Definitions {
  const { platform, log } = internals;
  const slot = internals.slot('surveys', (stored): Kept | undefined =>
    isRecord(stored) && typeof stored['at'] === 'number' ? { at: stored['at'], surveys: surveysOf(stored) } : undefined,
  );
  let askedAt = Number.NEGATIVE_INFINITY;

  const mayAsk = () => internals.options().disable_remote_config || runsSurveys(internals.remoteConfig()?.surveys);
  const ask = async () => {
    const path = internals.options().paths?.surveys ?? '/api/surveys/';
    try {
      const answer = await internals.request(`${path}?token=${encodeURIComponent(client.apiKey)}`);
      if (answer.status !== 200) return;
      slot.set({ at: platform.clock.now(), surveys: surveysOf(JSON.parse(await answer.text())) });
      changed();
    } catch (error) {
      log.warn('The surveys could not be read:', error);
    }
  };
  return {
    all: () => (mayAsk() ? (slot.get()?.surveys ?? []) : []),
    refresh() {
      const now = platform.clock.now();
      const isWithin = (age: number, at = Number.NEGATIVE_INFINITY) => now >= at && now - at < age;
      if (client.isOptedOut() || !mayAsk() || isWithin(maxAgeMs, slot.get()?.at) || isWithin(PAUSE_MS, askedAt)) return;
      askedAt = now;
      void ask();
    },
  };
}

const runsSurveys = (told: boolean | unknown[] | undefined): boolean => (Array.isArray(told) ? told.length > 0 : told === true);

const surveysOf = (body: unknown): Survey[] =>
  isRecord(body) && Array.isArray(body['surveys']) ? body['surveys'].filter(isSurvey) : [];

const isSurvey = (value: unknown): value is Survey =>
  isRecord(value) &&
  typeof value['id'] === 'string' &&
  Array.isArray(value['questions']) &&
  value['questions'].length > 0 &&
  value['questions'].every((question) => isRecord(question) && typeof question['id'] === 'string');
