import type { FastifyInstance } from 'fastify';
import { requireScope } from '../../../auth/index.js';
import { UnrecoverableError } from '../../../jobs/index.js';
import { ApiError } from '../../../kernel/errors.js';
import { isObject, type Json } from '../../../kernel/json.js';
import type { ExportRow } from '../store.js';
import type { ExportContext, ExportData } from './export-data.js';
import { loadDashboard, loadInsight, loadQuery } from './load-dashboard.js';

/**
 * Loads the data of an export: of its insight, its dashboard, or the query or API path in its `export_context`.
 * @throws ApiError permission_denied, UnrecoverableError
 */
export async function loadExportData(app: FastifyInstance, context: ExportContext, row: ExportRow): Promise<ExportData> {
  if (row.insight_id !== null) return loadInsight(context, row.insight_id, row.dashboard_id);
  if (row.dashboard_id !== null) return loadDashboard(context, row.dashboard_id);
  const { source, path, method, body, filename } = row.export_context ?? {};
  const title = typeof filename === 'string' && filename ? filename : 'Export';
  if (isObject(source)) {
    // the scope that `query/` requires: an export grants a key no more than the API does
    requireScope(context.principal, 'query:read');
    return loadQuery(context, source, title);
  }
  if (path !== undefined) return loadPath(app, context, { path, method, body }, title);
  throw new UnrecoverableError('The export_context has neither a source nor a path.');
}

/** Results of all pages together, at most. */
const MAX_RESULTS = 50_000;

/** A request to the API as an `export_context` describes it; any JSON. */
interface PathRequest {
  path: Json | undefined;
  /** GET by default; POST for queries. */
  method?: Json | undefined;
  body?: Json | undefined;
}

/**
 * Calls the API as the user of the export (see decision 0028) and follows `next` through all pages of a list.
 * @throws ApiError unavailable; UnrecoverableError with the detail of the response when the API refuses
 */
async function loadPath(app: FastifyInstance, context: ExportContext, request: PathRequest, title: string): Promise<ExportData> {
  const first = await send(app, context, request);
  if (!isList(first) || typeof first['next'] !== 'string') return { kind: 'response', title, body: first };
  const results = [...first.results];
  let next: Json | undefined = first['next'];
  while (typeof next === 'string' && results.length < MAX_RESULTS) {
    context.signal.throwIfAborted();
    const page: Json = await send(app, context, { path: next });
    if (!isList(page)) break;
    results.push(...page.results);
    next = page['next'];
  }
  const body = {
    ...first,
    // not null: the list goes on after what was exported
    next: results.length > MAX_RESULTS ? first['next'] : (next ?? null),
    previous: null,
    results: results.slice(0, MAX_RESULTS),
  };
  return { kind: 'response', title, body };
}

const isList = (body: Json): body is { results: Json[]; [key: string]: Json } => isObject(body) && Array.isArray(body['results']);

async function send(
  app: FastifyInstance,
  { deps, project, principal }: ExportContext,
  { path, method: given = 'GET', body }: PathRequest,
): Promise<Json> {
  const method = String(given).toUpperCase();
  const url = requireProjectPath(path, project.id);
  const isQuery = /^\/api\/[a-z]+\/[^/]+\/query\/?(\?|$)/.test(url);
  if (method !== 'GET' && !(method === 'POST' && isQuery)) throw new UnrecoverableError('Only what reads can be exported.');
  const { statusCode, payload } = await deps.services.impersonation.run(principal, () =>
    app.inject({
      method,
      url,
      headers: { accept: 'application/json', ...(method === 'POST' ? { 'content-type': 'application/json' } : {}) },
      ...(method === 'POST' ? { payload: JSON.stringify(body ?? {}) } : {}),
    }),
  );
  if (statusCode >= 500) throw new ApiError('unavailable');
  const parsed = parseJson(payload);
  if (statusCode < 300 && parsed !== undefined) return parsed;
  const detail =
    isObject(parsed) && typeof parsed['detail'] === 'string' ? parsed['detail'] : `The path answered with status ${statusCode}.`;
  throw new UnrecoverableError(detail);
}

/**
 * The path and query of an address of this project in the API; its host is ignored.
 * Refuses `exports/`, also percent-encoded: an export that waits for exports would block the queue.
 */
function requireProjectPath(path: unknown, projectId: number): string {
  const isAddress = typeof path === 'string' && URL.canParse(path, 'http://localhost');
  const { pathname, search } = new URL(isAddress ? path : '/', 'http://localhost');
  const [, scope, rest = ''] = /^\/api\/(?:projects|environments)\/(\d+|@current)\/(.+)$/.exec(pathname) ?? [];
  const isOwn = scope === String(projectId) || scope === '@current';
  if (!isOwn || /^(exports(\/|$)|[^/?]*%)/.test(rest))
    throw new UnrecoverableError('The path must be one of this project in the API.');
  return `/api/projects/${projectId}/${rest}${search}`;
}

function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
