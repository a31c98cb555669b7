import type { Survey } from '@tidemark/wire';
import type { Client, ClientInternals } from '../client.js';
import { isRecord } from '../is-record.js';

/** The project's surveys, cached. */
export interface Definitions {
  all(): readonly Survey[];
  /** Requests the surveys, unless the cached ones are recent enough. */
  refresh(): void;
}

interface CachedSurveys {
  /** Time of the answer in epoch milliseconds. */
  at: number;
  surveys: Survey[];
}

/** Minimum time between two requests, also after a failure. */
const PAUSE_MS = 60_000;

/**
 * Caches the definitions of surveys in memory and in storage. Makes no request for a project whose remote config says that it runs none.
 * @param maxAgeMs after which the surveys are requested again; until the answer the cached ones are used
 * @param changed called after each answer
 */
export function createDefinitions(
  client: Client,
  internals: ClientInternals,
  maxAgeMs: number,
  changed: () => void,
): Definitions {
  const { platform, log } = internals;
  const slot = internals.slot('surveys', (stored): CachedSurveys | undefined =>
    isRecord(stored) && typeof stored['at'] === 'number' ? { at: stored['at'], surveys: surveysOf(stored) } : undefined,
  );
  let requestedAt = Number.NEGATIVE_INFINITY;

  const runsAny = () => internals.options().disable_remote_config || runsSurveys(internals.remoteConfig()?.surveys);
  const load = async () => {
    const path = internals.options().paths?.surveys ?? '/api/surveys/';
    try {
      const answer = await internals.request(`${path}?token=${encodeURIComponent(client.apiKey)}`);
      if (answer.status !== 200) return;
      slot.set({ at: platform.clock.now(), surveys: surveysOf(JSON.parse(await answer.text())) });
      changed();
    } catch (error) {
      log.warn('surveys: the definitions could not be loaded, check api_host:', error);
    }
  };
  return {
    all: () => (runsAny() ? (slot.get()?.surveys ?? []) : []),
    refresh() {
      const now = platform.clock.now();
      const isWithin = (age: number, at = Number.NEGATIVE_INFINITY) => now >= at && now - at < age;
      if (client.isOptedOut() || !runsAny() || isWithin(maxAgeMs, slot.get()?.at) || isWithin(PAUSE_MS, requestedAt)) return;
      requestedAt = now;
      void load();
    },
  };
}

const runsSurveys = (config: boolean | unknown[] | undefined): boolean =>
  Array.isArray(config) ? config.length > 0 : config === true;

const surveysOf = (body: unknown): Survey[] =>
  isRecord(body) && Array.isArray(body['surveys']) ? body['surveys'].filter(isSurvey) : [];

const isSurvey = (value: unknown): value is Survey =>
  isRecord(value) &&
  typeof value['id'] === 'string' &&
  Array.isArray(value['questions']) &&
  value['questions'].length > 0 &&
  value['questions'].every((question) => isRecord(question) && typeof question['id'] === 'string');
