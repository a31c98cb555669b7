import type { FastifyInstance } from 'fastify';
import type { Deps } from '../../deps.js';
import { type Job, JobTimeout, type QueueKind, UnrecoverableError } from '../../jobs/index.js';
import { ApiError } from '../../kernel/errors.js';
import { isObject } from '../../kernel/json.js';
import { EventsUnavailable } from '../../ports/events.js';
import { buildContent, type DisplayOptions } from './build/build-content.js';
import { experimentsIn, insightsIn, openExportContext, profilesInExport } from './data/export-data.js';
import { loadExportData } from './data/load-export-data.js';
import { FORMATS, type Format, isFormat } from './formats.js';
import type { Renderer } from './render/renderer.js';
import {
  deleteExpired,
  type ExportRow,
  type FailureKind,
  failExport,
  failStuckExports,
  finishExport,
  readExport,
} from './store.js';

/** The kind of these jobs in the queue. */
export const EXPORT_JOB = 'export';
/** Milliseconds that one attempt may take. */
const DEADLINE_MS = 5 * 60_000;
const ATTEMPTS = 3;

/** Key of the content of an export in the blob store. */
export const contentKey = (projectId: number, id: number): string => `exports/${projectId}/${id}/content`;

/** The job that builds the file of an export. */
export const exportJob = (app: FastifyInstance, deps: Deps, renderer: Renderer): QueueKind => ({
  deadlineMs: DEADLINE_MS,
  attempts: ATTEMPTS,
  run: async (job, signal) => {
    const { projectId } = job;
    const id = exportIdOf(job);
    const row = await readExport(deps.db, projectId, id, new Date(deps.clock.now()));
    // the export has expired, or was deleted with its dashboard or insight
    if (!row || !isFormat(row.export_format)) return async () => {};
    const built = await buildExport(app, deps, renderer, projectId, row, row.export_format, signal).catch(withoutRetry);
    return (tx) => finishExport(tx, projectId, id, built);
  },
  failed: async (tx, job, error) => {
    const id = exportIdOf(job);
    deps.log.warn({ err: error, export: id }, 'an export failed');
    await failExport(tx, job.projectId, id, failureOf(error));
  },
});

/** Deletes expired exports, and fails those whose job no server runs any more. */
export async function sweepExports({ db, clock }: Pick<Deps, 'db' | 'clock'>): Promise<void> {
  const now = clock.now();
  await deleteExpired(db, new Date(now));
  await failStuckExports(db, EXPORT_JOB, new Date(now - DEADLINE_MS), 'Making this export was given up.');
}

async function buildExport(
  app: FastifyInstance,
  deps: Deps,
  renderer: Renderer,
  projectId: number,
  row: ExportRow,
  format: Format,
  signal: AbortSignal,
) {
  const user = { projectId, userId: row.created_by, keyId: row.key_id };
  const context = await openExportContext(deps, user, { isTable: FORMATS[format].isTable, signal });
  const data = await loadExportData(app, context, row);
  const { bytes, warning } = await buildContent(renderer, context, data, format, displayOptionsOf(row));
  signal.throwIfAborted();
  const key = contentKey(projectId, row.id);
  const stored = await deps.blobs.put(key, bytes);
  // a deletion during the build found no content to delete
  const isThere = await readExport(deps.db, projectId, row.id, null);
  if (!isThere) await deps.blobs.delete(key);
  const experimentIds = experimentsIn(data, row.export_context?.['path']);
  const profiles = await profilesInExport(context, data, row.export_context ?? {});
  return { size: stored.size, insightIds: insightsIn(data), experimentIds, profiles, warning };
}

function displayOptionsOf({ export_context: context }: ExportRow): DisplayOptions {
  const { theme, columns, limit, paper, orientation } = context ?? {};
  const rows = typeof limit === 'string' ? Number(limit) : limit;
  return {
    theme: theme === 'dark' ? 'dark' : 'light',
    paper: {
      format: String(paper).toLowerCase() === 'letter' ? 'Letter' : 'A4',
      isLandscape: String(orientation).toLowerCase() === 'landscape',
    },
    columns: Array.isArray(columns) && columns.length > 0 ? columns.map(String) : null,
    limit: typeof rows === 'number' && rows >= 1 ? Math.floor(rows) : null,
  };
}

const exportIdOf = ({ payload }: Job): number => (isObject(payload) ? Number(payload['export']) : 0);

/** A client error would be the same on every attempt. */
function withoutRetry(error: unknown): never {
  if (error instanceof ApiError && error.status < 500) throw new UnrecoverableError(error.body.detail);
  throw error;
}

function failureOf(error: unknown): { exception: string; kind: FailureKind } {
  if (error instanceof UnrecoverableError) return { exception: error.message, kind: 'user' };
  if (error instanceof JobTimeout) return { exception: 'Making this export took too long.', kind: 'timeout' };
  const isAway = error instanceof EventsUnavailable || (error instanceof ApiError && error.status === 503);
  if (isAway) return { exception: 'The stores of the service were not available.', kind: 'system' };
  if (error === null) return { exception: 'The servers that were making this export have stopped.', kind: 'system' };
  return { exception: 'This export could not be made; the log of the service tells why.', kind: 'unknown' };
}
