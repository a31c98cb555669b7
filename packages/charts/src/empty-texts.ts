import type { Insight } from './insight.js';
import { TIME_TO_CONVERT } from './read/read-conversion.js';

/** What an insight without data says: the fact, and what would change it. */
export interface EmptyTexts {
  fact: string;
  cause: string;
}

const EVENTS: EmptyTexts = { fact: 'No events in this period', cause: 'Nothing matched its events and filters.' };

/** The words of an insight without data, the same on pages and in pictures. */
export function emptyTexts(insight: Insight): EmptyTexts {
  switch (insight.kind) {
    case 'funnel':
      return { fact: 'Nobody entered this funnel', cause: 'Its first step did not happen in this period.' };
    case 'retention':
      return { fact: 'Nobody began in this period', cause: 'The event that people begin with did not happen.' };
    case 'paths':
      return { fact: 'No paths in this period', cause: 'Nobody went from one step to another.' };
    case 'rows':
      return { fact: 'No rows', cause: 'The query found nothing.' };
    case 'comparison':
      return { fact: 'Not enough data yet', cause: insight.absence ?? 'Nobody has seen a variant.' };
    case 'series': {
      if (insight.over === TIME_TO_CONVERT)
        return { fact: 'Nobody finished this funnel', cause: 'Its last step was not reached in this period.' };
      const [name, ...others] = new Set(insight.series.map((one) => one.customName ?? one.name));
      return name && others.length === 0 ? { ...EVENTS, fact: `No “${name}” in this period` } : EVENTS;
    }
    case 'nothing':
      return EVENTS;
  }
}
