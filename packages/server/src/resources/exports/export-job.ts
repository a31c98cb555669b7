import type { FastifyInstance } from 'fastify';
import type { Deps } from '../../deps.js';
import { type Job, type JobKind, JobTimeout, NoUseTryingAgain } from '../../jobs/index.js';
import { ApiError } from '../../kernel/errors.js';
import { isObject } from '../../kernel/json.js';
import { EventsUnavailable } from '../../ports/events.js';
import { type Look, makeContent } from './build/build.js';
import { insightsIn } from './data/export-data.js';
import { loadMaterial } from './data/load.js';
import { openReader } from './data/reader.js';
import { FORMATS, isFormat } from './formats.js';
import type { Renderer } from './render/renderer.js';
import { type ExportRow, type FailureKind, failExport, finishExport, readExport } from './store.js';

/** What jobs of this kind are called. */
export const EXPORT_JOB = 'export';
/** How long making one may take; milliseconds. */
export const DEADLINE_MS = 5 * 60_000;

/** Where the content of an export is. */
export const contentKey = (projectId: number, id: number): string => `exports/${projectId}/${id}/content`;

/** The job that makes an export. */
export const exportJob = (app: FastifyInstance, deps: Deps, renderer: Renderer): JobKind => ({
  deadlineMs: DEADLINE_MS,
  attempts: 3,
  run: async (job, signal) => {
    const { projectId } = job;
    const id = exportOf(job);
    const row = await readExport(deps.db, projectId, id, new Date(deps.clock.now()));
    // it has expired, or was deleted with what it is of
    if (!row || !isFormat(row.export_format)) return async () => {};
    const made = await make(app, deps, renderer, projectId, row, signal).catch(refused);
    return (tx) => finishExport(tx, projectId, id, made);
  },
  failed: async (tx, job, error) => {
    const id = exportOf(job);
    deps.log.warn({ err: error, export: id }, 'an export could not be made');
    await failExport(tx, job.projectId, id, reasonOf(error));
  },
});

async function make(
  app: FastifyInstance,
  deps: Deps,
  renderer: Renderer,
  projectId: number,
  row: ExportRow,
  signal: AbortSignal,
) {
  const reader = await openReader(deps, projectId, row.created_by, row.key_id);
  const format = isFormat(row.export_format) ? row.export_format : 'application/json';
  const reading = { reader, now: deps.clock.now(), isTable: FORMATS[format].isTable, signal };
  const material = await loadMaterial(app, reading, row);
  const content = await makeContent(renderer, reading, material, format, lookOf(row));
  signal.throwIfAborted();
  const stored = await deps.blobs.put(contentKey(projectId, row.id), content);
  // whoever deleted the export while it was made could not see its content yet
  const isThere = await readExport(deps.db, projectId, row.id, null);
  if (!isThere) await deps.blobs.delete(contentKey(projectId, row.id));
  return { size: stored.size, insightIds: insightsIn(material) };
}

function lookOf({ export_context: context }: ExportRow): Look {
  const { theme, columns, limit } = context ?? {};
  const rows = typeof limit === 'string' ? Number(limit) : limit;
  return {
    theme: theme === 'dark' ? 'dark' : 'light',
    columns: Array.isArray(columns) && columns.length > 0 ? columns.map(String) : null,
    limit: typeof rows === 'number' && rows >= 1 ? Math.floor(rows) : null,
  };
}

const exportOf = ({ payload }: Job): number => (isObject(payload) ? Number(payload['export']) : 0);

/** A refusal of what was asked for is the same the next time. */
function refused(error: unknown): never {
  if (error instanceof ApiError && error.status < 500) throw new NoUseTryingAgain(error.body.detail);
  throw error;
}

function reasonOf(error: unknown): { exception: string; kind: FailureKind } {
  if (error instanceof NoUseTryingAgain) return { exception: error.message, kind: 'user' };
  if (error instanceof JobTimeout) return { exception: 'Making this export took too long.', kind: 'timeout' };
  const isAway = error instanceof EventsUnavailable || (error instanceof ApiError && error.status === 503);
  if (isAway) return { exception: 'The stores of the service were not available.', kind: 'system' };
  if (error === null) return { exception: 'The servers that were making this export have stopped.', kind: 'system' };
  return { exception: 'This export could not be made; the log of the service tells why.', kind: 'unknown' };
}
