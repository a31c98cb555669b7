import type { ProfileOwner } from '../../../analytics/index.js';
import { loadPrincipal, type ProjectContext, reopenProject } from '../../../auth/index.js';
import type { Deps } from '../../../deps.js';
import { ApiError } from '../../../kernel/errors.js';
import { isObject, type Json, type JsonObject } from '../../../kernel/json.js';
import { inWorkload } from '../../../ports/events.js';
import type { ChartAnnotation } from '../../annotations/index.js';
import { experimentIn, hiddenProfiles, profilesIn, queryAccessOf } from '../../results/index.js';
import type { TileSnapshot } from '../render/drawing.js';

/** One run of an export: the user on whose behalf it reads, with their rights of now, the time of its data, and its deadline. */
export interface ExportContext extends Pick<ProjectContext, 'deps' | 'principal' | 'project' | 'level' | 'membership'> {
  /** The time that relative date ranges count from; epoch milliseconds. */
  now: number;
  /** Whether the file is a table. A table can show more values of a breakdown than a chart. */
  isTable: boolean;
  /** Aborts at the deadline of the job. */
  signal: AbortSignal;
}

/**
 * The context for the user who requested an export, and the personal API key that they used, null for a session.
 * @throws ApiError permission_denied: the user or the key may no longer enter the project
 */
export async function openExportContext(
  deps: Deps,
  { projectId, userId, keyId }: { projectId: number; userId: number; keyId: string | null },
  options: Pick<ExportContext, 'isTable' | 'signal'>,
): Promise<ExportContext> {
  const principal = await loadPrincipal(deps, userId, keyId);
  if (!principal) throw new ApiError('permission_denied', 'The user who requested this export no longer has access.');
  const access = await reopenProject(deps, principal, projectId);
  const events = inWorkload(deps.events, 'export');
  return { deps: { ...deps, events }, principal, ...access, now: deps.clock.now(), ...options };
}

/** A tile of a dashboard, or the one insight or query that is exported. */
export interface ExportTile extends Pick<TileSnapshot, 'title' | 'note' | 'description' | 'color' | 'place'> {
  /** Id of its insight; null: a text tile or a query without insight. */
  insightId: number | null;
  content:
    | { kind: 'answer'; query: JsonObject; answer: JsonObject }
    | { kind: 'text'; body: string }
    | { kind: 'fault'; message: string };
}

/** The data of an export, before it is formatted. */
export type ExportData =
  | {
      kind: 'dashboard';
      /** Null: a single insight or query. */
      title: string | null;
      note: string;
      /** Those of the dashboard. */
      filters: JsonObject;
      annotations: ChartAnnotation[];
      tiles: ExportTile[];
    }
  | { kind: 'response'; title: string; body: Json };

/** Ids of the insights whose data is in an export. A user who loses access to one of them loses access to the export. */
export function insightsIn(data: ExportData): number[] {
  const ids =
    data.kind === 'dashboard'
      ? data.tiles.flatMap(({ insightId }) => (insightId === null ? [] : [insightId]))
      : insightsInResponse(data.body);
  return [...new Set(ids)];
}

/** In a response of the API, an object with a `short_id` is an insight. */
const insightsInResponse = (body: Json): number[] =>
  objectsIn(body).flatMap(({ short_id, id }) => (typeof short_id === 'string' && typeof id === 'number' ? [id] : []));

/**
 * Ids of the experiments whose results are in an export. A user who loses access to one of them loses access to the export.
 * @param path of the API, if the export is its response
 */
export function experimentsIn(data: ExportData, path: Json | undefined): number[] {
  if (data.kind === 'dashboard') {
    const queries = data.tiles.flatMap(({ content }) => (content.kind === 'answer' ? [content.query] : []));
    return [...new Set(queries.flatMap((query) => experimentIn(query) ?? []))];
  }
  const [, named] = /\/experiments\/(\d{1,9})(?:\/|\?|$)/.exec(String(path)) ?? [];
  const queried = objectsIn(data.body).filter(({ kind }) => kind === 'ExperimentQuery');
  return [...new Set([...(named ? [Number(named)] : []), ...queried.flatMap((query) => experimentIn(query) ?? [])])];
}

/** Paths of the API whose responses show profiles. */
const PROFILES_OF_PATHS: Record<ProfileOwner, RegExp> = {
  person: /\/(persons|events|session_recordings|groups\/related)(\/|$)/,
  group: /\/groups(\/|$)/,
};

/** Whose profiles are in an export, of those that its user may see. A user who may not see them any more loses access to the export. */
export async function profilesInExport(context: ExportContext, data: ExportData, request: JsonObject): Promise<ProfileOwner[]> {
  const { deps, project } = context;
  const queries: JsonObject[] =
    data.kind === 'dashboard'
      ? data.tiles.flatMap(({ content }) => (content.kind === 'answer' ? [content.query] : []))
      : [...objectsIn(data.body), ...objectsIn(request['body'] ?? null)].filter(({ kind }) => /Query$/.test(String(kind)));
  const shown = await Promise.all(queries.map((query) => profilesIn(deps.db, project.id, query)));
  const [pathname = ''] = String(request['path'] ?? '').split('?');
  const hidden = await hiddenProfiles(queryAccessOf(context));
  return (['person', 'group'] as const).filter(
    (one) => !hidden.has(one) && (shown.flat().includes(one) || PROFILES_OF_PATHS[one].test(pathname)),
  );
}

/** All objects in a value. Searched level by level: nesting may be deeper than the stack. */
function objectsIn(body: Json): JsonObject[] {
  const found: JsonObject[] = [];
  for (let level: Json[] = [body]; level.length > 0; ) {
    for (const one of level) if (isObject(one)) found.push(one);
    level = level.flatMap((one): Json[] => (Array.isArray(one) ? one : isObject(one) ? Object.values(one) : []));
  }
  return found;
}
