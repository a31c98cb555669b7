import { createHash } from 'node:crypto';
import { createSharedColors, describeInsight, type Insight, written } from '@tidemark/charts';
import { ENTRY_BYTES } from '../../caches/index.js';
import type { Deps } from '../../deps.js';
import { formatTime } from '../../kernel/display-text.js';
import { isObject, type JsonObject } from '../../kernel/json.js';
import { type ChartAnnotation, pageAnnotations } from '../annotations/index.js';
import { visible } from '../dashboards/index.js';
import { annotated, describeDays, describeMetric } from '../exports/index.js';
import { publicPage, recordingTitle } from '../recordings/index.js';
import { applyOverrides, createResultLoader, hidesResult, type InsightResultFields } from '../results/index.js';
import { placeOf, type TilePlace, type TileRow, tilesOf } from '../tiles/index.js';
import type { PublishedShare } from './access.js';
import { type DateRange, withRange } from './date-ranges.js';
import { type DisplayOptions, displayOptionsOf, type Share, type SharedRecording } from './store.js';

/** Everything that visitors get of a tile. */
export interface PublicTile {
  title: string;
  description: string;
  /** The date range in words. */
  days: string;
  color: string | null;
  place: TilePlace | null;
  content: PublicContent;
}

export type PublicContent =
  | { kind: 'text'; body: string }
  /** `metric`: the name of the only metric of an experiment. */
  | { kind: 'insight'; insight: Insight; computedAt: string | null; metric?: string }
  /** A list of people, or a query that fails. The message does not say why: errors of a query may show parts of it. */
  | { kind: 'fault'; message: string };

/** Everything that visitors get of a dashboard or a single insight. */
export interface PublicDashboard {
  /** Null: a single insight; its tile has the title. */
  title: string | null;
  description: string;
  tiles: PublicTile[];
}

/** A dashboard whose results may still be computed; its tiles are in reading order. */
export interface OpenDashboard {
  title: string | null;
  description: string;
  /** The annotations that charts over time may show; the earliest first. */
  notes: readonly ChartAnnotation[];
  tiles: OpenTile[];
}

export type OpenTile = Omit<PublicTile, 'content'> & {
  content: Promise<PublicContent>;
  /** The result that the content shows. */
  result: OpenResult;
};

/** A result that may still be computed. */
export interface OpenResult {
  /** Null: it is being computed. */
  known: VersionedContent | null;
  content: Promise<VersionedContent>;
}

/** The content of a tile. Two with the same version are the same. */
export interface VersionedContent {
  content: PublicContent;
  version: string;
}

const resultOf = (content: PublicContent, version: string): OpenResult => {
  const known = { content, version };
  return { known, content: Promise.resolve(known) };
};

/** The dashboard with all its results. */
export const whole = async ({ tiles, notes: _, ...dashboard }: OpenDashboard): Promise<PublicDashboard> => ({
  ...dashboard,
  tiles: await Promise.all(tiles.map(async ({ result: _, ...tile }) => ({ ...tile, content: await tile.content }))),
});

/** How long a result is cached, however many visitors come; milliseconds. */
const CACHE_MS = 5 * 60_000;
const FAULT_MS = 10_000;
/** Bytes of all cached results. */
const MAX_BYTES = 64 * 1024 * 1024;
/** Estimated bytes of parsed JSON per character of its text. */
const BYTES_PER_CHARACTER = 4;
/** Rows of a table. */
const MAX_ROWS = 200;
/** Rows of a table with totals, which the page computes over all its rows. */
const MAX_SUMMED_ROWS = 10_000;

/** Queries that may be public, because they return aggregates. Lists of people or events never are, whatever their columns. */
const PUBLIC: ReadonlySet<unknown> = new Set([
  'TrendsQuery',
  'FunnelsQuery',
  'RetentionQuery',
  'PathsQuery',
  'StickinessQuery',
  'LifecycleQuery',
  'HogQLQuery',
  'ExperimentQuery',
]);
const WRAPPERS: ReadonlySet<unknown> = new Set(['InsightVizNode', 'DataTableNode', 'DataVisualizationNode']);
const MISSING: PublicContent = { kind: 'fault', message: 'This chart has an error.' };
const HIDDEN = resultOf({ kind: 'fault', message: 'Lists of people and events are not shown on public pages.' }, 'hidden');

/** Loads public dashboards; the results of their queries are cached. */
interface DashboardLoader {
  /** `range`: one that a visitor chose; null: that of each tile. */
  dashboard(share: PublishedShare, range: DateRange | null): Promise<OpenDashboard>;
}

export function createDashboardLoader(deps: Deps): DashboardLoader {
  const bytesOf = (content: PublicContent) => JSON.stringify(content).length * BYTES_PER_CHARACTER;
  const cache = deps.services.caches.create<string, VersionedContent>({
    name: 'public_results',
    max: { bytes: MAX_BYTES, bytesOf: ({ content }, key) => ENTRY_BYTES + key.length + bytesOf(content) },
    ttl: ({ content }) => (content.kind === 'fault' ? FAULT_MS : CACHE_MS),
  });
  let computed = 0;
  /** The queries whose results are hidden from the publisher. */
  async function hiddenAmong(queries: readonly (JsonObject | null | undefined)[], share: PublishedShare) {
    const hidden = new Set<JsonObject>();
    for (const query of queries) {
      if (!query || !PUBLIC.has(kindOf(query))) continue;
      if (await hidesResult(deps.db, share.projectId, query, share.queryAccess)) hidden.add(query);
    }
    return hidden;
  }

  return {
    dashboard: async (share, range) => {
      if (share.recording) return recordingDashboard(share.recording, share.timezone);
      const { dashboardId, insightId } = share;
      const rows =
        dashboardId === null ? [] : visible(await tilesOf(deps.db, share.projectId, dashboardId, null), share.insights);
      const ofTiles = rows.map(({ insight }) => insight?.query && withRange(applyOverrides(insight.query, share), range));
      const ofInsight = share.query && withRange(share.query, range);
      // at each request: a cached result is the same for all publishers
      const hidden = await hiddenAmong([ofInsight, ...ofTiles], share);
      const results = createResultLoader(deps, { id: share.projectId, timezone: share.timezone }, share.queryAccess, {
        refresh: 'blocking',
      });
      const compute = (query: JsonObject | null): OpenResult => {
        if (query === null) return resultOf(MISSING, 'missing');
        const kind = kindOf(query);
        if (!PUBLIC.has(kind)) return HIDDEN;
        if (hidden.has(query)) return resultOf(MISSING, 'missing');
        const key = createHash('sha256')
          .update(JSON.stringify([share.projectId, share.timezone, query]))
          .digest('base64');
        const known = cache.get(key) ?? null;
        if (known) return { known, content: Promise.resolve(known) };
        const content = cache.getOrLoad(key, async () => {
          const { fields } = await results.load(query);
          computed += 1;
          return { content: contentOf(query, fields, share.timezone), version: String(computed) };
        });
        return { known, content };
      };
      const zone = deps.services.queryResults.zoneOf(share.timezone);
      const time = { now: deps.clock.now(), zone };
      const look: Look = (query) => ({ days: query ? describeDays(query, time) : '', result: compute(query) });
      const notesOn = async (insightIds: readonly number[]): Promise<ChartAnnotation[]> =>
        displayOptionsOf(share.settings).hasAnnotations && share.seesAnnotations
          ? pageAnnotations(deps.db, share.projectId, { dashboardId: share.dashboardId, insightIds })
          : [];
      if (dashboardId === null) {
        const notes = await notesOn(insightId === null ? [] : [insightId]);
        const tiles = inTurn([insightTile(share, ofInsight, look)], (insight) => annotated(insight, notes, zone));
        return { title: null, description: '', notes, tiles };
      }
      const notes = await notesOn(rows.flatMap(({ insight }) => insight?.id ?? []));
      const color = createSharedColors();
      const frames = rows.map((row, i) => tileOf(row, ofTiles[i] ?? null, look));
      const tiles = inTurn(frames, (insight, i) => {
        const own = notes.filter((note) => note.insightId === null || note.insightId === rows[i]?.insight?.id);
        return color(annotated(insight, own, zone));
      });
      return { title: share.name || 'Dashboard', description: share.description, notes, tiles };
    },
  };
}

/** The kind of the query that is computed. Only wrappers are opened: `ActorsQuery` also has a source, and lists its people. */
function kindOf({ kind, source }: JsonObject): unknown {
  return WRAPPERS.has(kind) && isObject(source) ? kindOf(source) : kind;
}

/** What a tile shows of its query: its days, and its result. */
type Look = (query: JsonObject | null) => Pick<OpenTile, 'days' | 'result'>;

/** A tile without its content, which depends on those before it. */
type TileFrame = Omit<OpenTile, 'content'>;

function insightTile({ name, description }: Share, query: JsonObject | null, look: Look): TileFrame {
  const title = name || 'Untitled insight';
  return {
    title,
    description,
    color: null,
    place: null,
    ...look(query),
  };
}

function tileOf({ layouts, color, insight, text }: TileRow, query: JsonObject | null, look: Look): TileFrame {
  const place = placeOf(layouts);
  if (!insight) {
    const body = text?.body ?? '';
    return { title: '', description: '', days: '', color, place, result: resultOf({ kind: 'text', body }, body) };
  }
  return {
    title: insight.name || insight.derived_name || 'Untitled insight',
    description: insight.description,
    color,
    place,
    ...look(query),
  };
}

/** Adds the contents of tiles. `finish` is called for their insights in turn, so that those of the first tiles take the first colors. */
function inTurn(tiles: readonly TileFrame[], finish: (insight: Insight, index: number) => Insight): OpenTile[] {
  let before: Promise<unknown> = Promise.resolve();
  return tiles.map((tile, i) => {
    const content = Promise.all([tile.result.content, before]).then(
      ([{ content: own }]): PublicContent => (own.kind === 'insight' ? { ...own, insight: finish(own.insight, i) } : own),
    );
    // a page that failed before this tile does not wait for it
    content.catch(() => {});
    before = content;
    return { ...tile, content };
  });
}

function contentOf(query: JsonObject, fields: InsightResultFields, timezone: string): PublicContent {
  if (fields.result === null) return MISSING;
  const answer = { results: fields.result, columns: fields.columns ?? undefined };
  const insight = describeInsight(query, answer, { now: Date.parse(fields.last_refresh ?? '') || 0, timezone });
  const table = insight.kind === 'rows' ? visibleRows(insight) : insight;
  const metric = describeMetric(query, fields.result);
  return { kind: 'insight', insight: table, computedAt: fields.last_refresh, ...(metric && { metric }) };
}

/** The visible columns of a table, and as many rows as a page has. Hidden columns must not reach visitors. */
function visibleRows({ columns, rows, tableOptions }: Extract<Insight, { kind: 'rows' }>): Insight {
  if (!tableOptions) return { kind: 'rows', columns, rows: rows.slice(0, MAX_ROWS) };
  const most = tableOptions.hasTotals ? MAX_SUMMED_ROWS : MAX_ROWS;
  return {
    kind: 'rows',
    columns: tableOptions.columns.map(({ index }) => columns[index] ?? ''),
    rows: rows.slice(0, most).map((row) => tableOptions.columns.map(({ index }) => row[index])),
    tableOptions: { ...tableOptions, columns: tableOptions.columns.map((column, index) => ({ ...column, index })) },
  };
}

const lasting = (milliseconds: number) => written(milliseconds, { unit: 'milliseconds' });

/** A recording as a table of its facts, without the person and their input. */
function recordingDashboard(recording: SharedRecording, zone: string): OpenDashboard {
  const { start, end, activeMilliseconds, clicks, keys, errors, url } = recording;
  const rows = [
    ['Began', formatTime(new Date(start), zone)],
    ['Lasted', lasting(end - start)],
    ['Active for', lasting(activeMilliseconds)],
    ['First page', publicPage(url)],
    ['Clicks', clicks],
    ['Key presses', keys],
    ['Errors in the console', errors],
  ];
  const insight = { kind: 'rows' as const, columns: ['About', 'Value'], rows };
  const result = resultOf({ kind: 'insight', insight, computedAt: null }, JSON.stringify(rows));
  const about = { title: recordingTitle(recording, zone), description: '', days: '', color: null, place: null };
  return { title: null, description: '', notes: [], tiles: inTurn([{ ...about, result }], (one) => one) };
}

/** The body of `/shared/<token>.json`: what the page shows, and no more. */
export const dashboardJson = ({ title, description, tiles }: PublicDashboard, { hasDetails }: DisplayOptions) => ({
  type: 'scene',
  name: title ?? tiles[0]?.title ?? '',
  description: hasDetails ? description : '',
  tiles: tiles.map((tile) => ({
    name: tile.title,
    description: hasDetails ? tile.description : '',
    dates: hasDetails ? tile.days : '',
    color: tile.color,
    layout: tile.place,
    text: tile.content.kind === 'text' ? tile.content.body : null,
    result: tile.content.kind === 'insight' ? tile.content.insight : null,
    last_refresh: tile.content.kind === 'insight' ? tile.content.computedAt : null,
    error: tile.content.kind === 'fault' ? tile.content.message : null,
  })),
});
