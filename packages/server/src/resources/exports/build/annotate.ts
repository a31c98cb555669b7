import type { Insight } from '@tidemark/charts';
import { isoPattern, utcOf } from '@tidemark/flags/iso-date';
import type { createZone } from '../../../analytics/index.js';
import type { ChartAnnotation } from '../../annotations/index.js';

const DAY_MS = 86_400_000;
const DATE = isoPattern({});

/** A chart over time with the annotations of its buckets; others are returned as they are. */
export function annotated(insight: Insight, notes: readonly ChartAnnotation[], zone: ReturnType<typeof createZone>): Insight {
  if (insight.kind !== 'series' || insight.over !== undefined || insight.days.length === 0 || notes.length === 0) return insight;
  const starts = insight.days.map((day) => {
    const match = DATE.exec(day.replace(' ', 'T'));
    return match ? utcOf(match) : Number.NaN;
  });
  if (starts.some(Number.isNaN)) return insight;
  const [last = 0, before = last - DAY_MS] = [starts.at(-1), starts.at(-2)];
  const end = last + (last - before);
  const annotations = notes.flatMap(({ at, text }) => {
    const local = zone.toLocal(at);
    const place = local < end ? starts.findLastIndex((start) => start <= local) : -1;
    return place < 0 ? [] : [{ place, text }];
  });
  return annotations.length > 0 ? { ...insight, annotations } : insight;
}
