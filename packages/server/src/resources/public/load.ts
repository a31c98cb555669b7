import { createHash } from 'node:crypto';
import { type Insight, readInsight } from '@tidemark/charts';
import type { Deps } from '../../deps.js';
import { isObject, type JsonObject } from '../../kernel/json.js';
import { visible } from '../dashboards/index.js';
import { applyOverrides, createResultLoader, describeDateRange, type InsightResultFields } from '../results/index.js';
import { placeOf, type TilePlace, type TileRow, tilesOf } from '../tiles/index.js';
import { createKept, type Kept } from './cache.js';
import type { PublishedShare } from './publisher.js';
import { readable } from './readable.js';
import { recordingBoard } from './recording-page.js';
import type { Share } from './store.js';

/** What a visitor is shown of a tile, and nothing else. */
export interface PublicTile {
  title: string;
  description: string;
  /** Which days it is about, for people. */
  days: string;
  color: string | null;
  place: TilePlace | null;
  content: PublicContent;
}

export type PublicContent =
  | { kind: 'text'; body: string }
  | { kind: 'insight'; insight: Insight; computedAt: string | null }
  /** Not for visitors, or not there; what is wrong with it is not theirs to know. */
  | { kind: 'fault'; message: string };

export interface PublicBoard {
  /** Null: a single insight, whose tile has the title. */
  title: string | null;
  description: string;
  tiles: PublicTile[];
}

/** A result is computed for visitors this often at most; milliseconds. */
const FLOOR_MS = 5 * 60_000;
const FAULT_MS = 10_000;
/** Contents of tiles that are held in memory. */
const MAX_BYTES = 64 * 1024 * 1024;
/** Parsed JSON takes about this many bytes for each character of its text. */
const BYTES_PER_CHARACTER = 4;
/** Rows of a table that are shown. */
const MOST_ROWS = 200;
/** The same of those whose sums are shown. */
const MOST_SUMMED = 10_000;

/** What may be public: numbers. Lists of people and of what each of them did never are, whatever their columns. */
const PUBLIC: ReadonlySet<unknown> = new Set([
  'TrendsQuery',
  'FunnelsQuery',
  'RetentionQuery',
  'PathsQuery',
  'StickinessQuery',
  'LifecycleQuery',
  'HogQLQuery',
]);
const WRAPPERS: ReadonlySet<unknown> = new Set(['InsightVizNode', 'DataTableNode', 'DataVisualizationNode']);
const MISSING: PublicContent = { kind: 'fault', message: 'This chart is not available right now.' };
const HIDDEN: PublicContent = { kind: 'fault', message: 'Lists of people and events are not shown on public pages.' };

/** Computes what public pages show. */
export interface Loader {
  board(share: PublishedShare): Promise<PublicBoard>;
}

export function createLoader(deps: Deps): Loader {
  const bytesOf = (content: PublicContent) => JSON.stringify(content).length * BYTES_PER_CHARACTER;
  const ms = ({ kind }: PublicContent) => (kind === 'fault' ? FAULT_MS : FLOOR_MS);
  const kept: Kept<PublicContent> = createKept(deps.clock, { ms, bytesOf, maxBytes: MAX_BYTES });

  return {
    board: async (share) => {
      if (share.recording) return recordingBoard(share.recording, share.timezone);
      const results = createResultLoader(deps, { id: share.projectId, timezone: share.timezone }, 'blocking');
      const content = (query: JsonObject | null): Promise<PublicContent> => {
        if (query === null) return Promise.resolve(MISSING);
        if (!PUBLIC.has(kindOf(query))) return Promise.resolve(HIDDEN);
        const key = createHash('sha256')
          .update(JSON.stringify([share.projectId, share.timezone, query]))
          .digest('base64');
        return kept.get(key, async () => contentOf(query, (await results.load(query)).fields));
      };
      if (share.dashboardId === null) return insightBoard(share, content);
      const rows = visible(await tilesOf(deps.db, share.projectId, share.dashboardId, null), share.insights);
      const tiles = await Promise.all(rows.map((row) => tileOf(row, share, content)));
      return { title: share.name || 'Dashboard', description: share.description, tiles };
    },
  };
}

/** The kind of the query that is computed: one that lists the people of another is its own. */
function kindOf({ kind, source }: JsonObject): unknown {
  return WRAPPERS.has(kind) && isObject(source) ? kindOf(source) : kind;
}

type Compute = (query: JsonObject | null) => Promise<PublicContent>;

async function insightBoard({ name, description, query }: Share, compute: Compute): Promise<PublicBoard> {
  const title = name || 'Untitled insight';
  const tile = {
    title,
    description,
    days: query ? describeDateRange(query) : '',
    color: null,
    place: null,
    content: await compute(query),
  };
  return { title: null, description: '', tiles: [tile] };
}

async function tileOf({ layouts, color, insight, text }: TileRow, share: Share, compute: Compute): Promise<PublicTile> {
  const place = placeOf(layouts);
  if (!insight) return { title: '', description: '', days: '', color, place, content: { kind: 'text', body: text?.body ?? '' } };
  const query = insight.query && applyOverrides(insight.query, share);
  return {
    title: insight.name || insight.derived_name || 'Untitled insight',
    description: insight.description,
    days: query ? describeDateRange(query) : '',
    color,
    place,
    content: await compute(query),
  };
}

function contentOf(query: JsonObject, fields: InsightResultFields): PublicContent {
  if (fields.result === null) return MISSING;
  const insight = readable(readInsight(query, { results: fields.result, columns: fields.columns ?? undefined }));
  const shown = insight.kind === 'rows' ? shownOf(insight) : insight;
  return { kind: 'insight', insight: shown, computedAt: fields.last_refresh };
}

/** What visitors see of a table: columns that are not shown are not theirs to know. */
function shownOf({ columns, rows, look }: Extract<Insight, { kind: 'rows' }>): Insight {
  if (!look) return { kind: 'rows', columns, rows: rows.slice(0, MOST_ROWS) };
  const most = look.hasTotals ? MOST_SUMMED : MOST_ROWS;
  return {
    kind: 'rows',
    columns: look.columns.map(({ index }) => columns[index] ?? ''),
    rows: rows.slice(0, most).map((row) => look.columns.map(({ index }) => row[index])),
    look: { ...look, columns: look.columns.map((column, index) => ({ ...column, index })) },
  };
}
