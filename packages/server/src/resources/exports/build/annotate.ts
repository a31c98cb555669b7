import { annotate, type Insight } from '@tidemark/charts';
import type { createZone } from '../../../analytics/index.js';
import type { ChartAnnotation } from '../../annotations/index.js';

/** A chart over time with the annotations of its buckets; others are returned as they are. */
export const annotated = (insight: Insight, notes: readonly ChartAnnotation[], zone: ReturnType<typeof createZone>): Insight =>
  annotate(insight, notes, (at) => zone.toLocal(at));
