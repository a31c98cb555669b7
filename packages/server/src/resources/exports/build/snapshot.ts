import { type ComputedAt, createSharedColors, describeInsight, type ThemeName } from '@tidemark/charts';
import { createZone } from '../../../analytics/index.js';
import { UnrecoverableError } from '../../../jobs/index.js';
import { describeFilters, describeMetric, describeTime, sharedDays } from '../data/describe.js';
import type { ExportContext, ExportData, ExportTile } from '../data/export-data.js';
import type { DashboardSnapshot, TileContent, TileSnapshot } from '../render/drawing.js';
import { annotated } from './annotate.js';
import { withReadableHeads } from './readable-heads.js';

/** What the renderer draws, in the words of public pages. @throws UnrecoverableError for the response of a path */
export function buildSnapshot(
  { now, project }: Pick<ExportContext, 'now' | 'project'>,
  data: ExportData,
  theme: ThemeName,
): DashboardSnapshot {
  if (data.kind === 'response') throw new UnrecoverableError('A path cannot be exported as a picture or a document.');
  const { title, note, filters, annotations } = data;
  const range = sharedDays(data.tiles.map(({ note }) => note));
  const computed = { now, timezone: project.timezone };
  const zone = createZone(project.timezone);
  const share = createSharedColors();
  const tiles = data.tiles.map((tile): TileSnapshot => {
    const snapshot = tileSnapshot(tile, range, computed);
    const { content } = snapshot;
    if (content.kind !== 'insight') return snapshot;
    const notes = annotations.filter(({ insightId }) => insightId === null || insightId === tile.insightId);
    return { ...snapshot, content: { ...content, insight: share(annotated(content.insight, notes, zone)) } };
  });
  const words = describeFilters(filters);
  const caption = {
    project: project.name,
    range,
    filters: words && `Filters: ${words}`,
    made: describeTime({ now, zone }),
    madeAt: now,
  };
  return { title, note, theme, caption, tiles };
}

/** A tile with the dates of all others does not repeat them. The results of an experiment say of which metric they are. */
const tileSnapshot = (
  { title, note, description = '', color = null, place, content }: ExportTile,
  range: string,
  computed: ComputedAt,
): TileSnapshot => ({
  title,
  note: [note === range ? '' : note, metricOf(title, content)].filter(Boolean).join(', '),
  description,
  color,
  place,
  content: drawnContent(content, computed),
});

function metricOf(title: string, content: ExportTile['content']): string {
  const metric = content.kind === 'answer' ? describeMetric(content.query, content.answer['results']) : '';
  return metric === title ? '' : metric;
}

function drawnContent(content: ExportTile['content'], computed: ComputedAt): TileContent {
  if (content.kind === 'answer')
    return { kind: 'insight', insight: withReadableHeads(describeInsight(content.query, content.answer, computed)) };
  return content.kind === 'fault' ? { kind: 'fault', message: `This could not be computed: ${content.message}` } : content;
}
