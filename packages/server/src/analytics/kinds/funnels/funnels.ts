import type { Span } from '../../buckets.js';
import type { Filter } from '../../filter.js';
import { breakdownFilters } from '../breakdown.js';
import { type Execute, type Kind, type KindContext, seriesFilters } from '../kind.js';
import { bucketsFor, spanFor } from '../span.js';
import { type ConversionTrend, conversionTrends } from './conversion-trends.js';
import type { FunnelsQuery } from './funnels-schema.js';
import { type FunnelStep, funnelSteps } from './steps.js';
import { type TimeToConvert, timeToConvert } from './time-to-convert.js';

/** Steps (with a breakdown a list for each value), a histogram, or a line of conversion for each value. */
export interface FunnelsResult {
  results: FunnelStep[] | FunnelStep[][] | TimeToConvert | ConversionTrend[];
  /** What of the query was ignored; left out when nothing was. */
  warnings?: string[];
}

export const FUNNELS: Kind<FunnelsQuery, FunnelsResult> = { filters: filtersOf, run: runFunnels };

function filtersOf({ properties, series, exclusions, breakdown }: FunnelsQuery): Record<string, Filter> {
  return {
    properties,
    ...breakdownFilters(breakdown),
    ...seriesFilters(series),
    ...Object.fromEntries(
      exclusions.map(({ events }, index) => [`funnelsFilter__exclusions__${index}__properties`, events.properties]),
    ),
  };
}

async function runFunnels(query: FunnelsQuery, context: KindContext, execute: Execute): Promise<FunnelsResult> {
  const span = await spanFor(query, query.interval, context, execute);
  const results = await resultsOf(query, span, context, execute);
  return query.warnings.length > 0 ? { results, warnings: query.warnings } : { results };
}

function resultsOf(query: FunnelsQuery, span: Span, context: KindContext, execute: Execute): Promise<FunnelsResult['results']> {
  if (query.view.type === 'time_to_convert') return timeToConvert(query, query.view, span, context, execute);
  if (query.view.type === 'steps') return funnelSteps(query, span, context, execute);
  return conversionTrends(query, query.view, span, bucketsFor(span, query.interval, context), context, execute);
}
