import type { BackupSchedule } from '../config.js';
import { parseBackupPlace } from '../config.js';
import type { Deps } from '../deps.js';
import { sentenceOf } from '../kernel/errors.js';
import { type BackupResult, makeBackup } from './make-backup.js';
import {
  type BackupRequest,
  deleteRequests,
  failAbandoned,
  readScheduled,
  requestBackup,
  takeRequest,
  updateRequest,
} from './requests-store.js';

const HOUR = 60 * 60_000;
/** Time between two scheduled backups, milliseconds. */
const PERIODS: Record<BackupSchedule['every'], number> = { hourly: HOUR, daily: 24 * HOUR, weekly: 7 * 24 * HOUR };
/** Pause after a scheduled backup that failed; milliseconds. */
const RETRY_MS = 10 * 60_000;
/** How often progress is stored; milliseconds. */
const PROGRESS_MS = 500;
/** How long requests are kept; milliseconds. */
const KEPT_MS = 90 * 24 * HOUR;

type BackupDeps = Pick<Deps, 'config' | 'db' | 'events' | 'blobs' | 'clock' | 'scheduler' | 'log' | 'openFolder'>;

/** Makes the backups that were asked for, and the one of TIDEMARK_BACKUP when it is due. Runs on one server at a time. */
export async function serveBackupRequests(deps: BackupDeps, version: string, signal: AbortSignal): Promise<void> {
  const { db, clock, config } = deps;
  await failAbandoned(db, clock.now());
  if (config.backup && (await isDue(deps, config.backup))) {
    const { target, keep } = config.backup;
    await requestBackup(db, { target, keep, isScheduled: true, now: clock.now() });
  }
  for (;;) {
    signal.throwIfAborted();
    const request = await takeRequest(db, clock.now());
    if (!request) break;
    await serve(deps, request, version, signal);
  }
  await deleteRequests(db, clock.now() - KEPT_MS);
}

async function isDue({ db, clock }: BackupDeps, { every }: BackupSchedule): Promise<boolean> {
  const { done, tried } = await readScheduled(db);
  if (done !== null && done + PERIODS[every] > clock.now()) return false;
  return tried === null || tried === done || tried + RETRY_MS <= clock.now();
}

async function serve(deps: BackupDeps, request: BackupRequest, version: string, signal: AbortSignal): Promise<void> {
  const { db, clock, scheduler, log, config } = deps;
  let progress = '';
  let stored = '';
  const cancel = scheduler.every(PROGRESS_MS, async () => {
    if (progress === stored) return;
    stored = progress;
    await updateRequest(db, request.id, { state: 'running', message: progress, now: clock.now() }).catch(() => {});
  });
  try {
    const open = () => deps.openFolder(parseBackupPlace(config, request.target), config);
    const result = await makeBackup(deps, open, {
      clock,
      version,
      keep: request.keep,
      signal,
      report: (text) => {
        progress = text;
      },
    });
    cancel();
    const message = summaryOf(result, request.target);
    await updateRequest(db, request.id, { state: 'done', message, now: clock.now() });
    log.info({ target: request.target, backup: result.name }, 'backup made');
  } catch (error) {
    cancel();
    // the next run says that the service ended
    if (signal.aborted) throw error;
    const message = sentenceOf(error);
    await updateRequest(db, request.id, { state: 'failed', message, now: clock.now() });
    log.error({ err: error, target: request.target }, 'a backup failed');
    if (request.isScheduled) throw error;
  }
}

/** What a backup has done, as a sentence. */
export function summaryOf({ name, manifest, reused, written, deleted, fault }: BackupResult, target: string): string {
  const events = manifest.events.units.filter(({ table }) => table === 'events').reduce((sum, { rows }) => sum + rows, 0);
  const seconds = (Date.parse(manifest.finishedAt) - Date.parse(manifest.startedAt)) / 1_000;
  const old = deleted.length > 0 ? ` ${deleted.length} older ones were deleted.` : '';
  const stayed = fault === null ? '' : ` Older ones stay: ${fault}`;
  return `The backup ${name} in ${target} has ${events.toLocaleString('en')} events and ${manifest.blobs.length.toLocaleString('en')} files; ${written} files were written and ${reused} used again, in ${seconds.toFixed(1)} s.${old}${stayed}`;
}
