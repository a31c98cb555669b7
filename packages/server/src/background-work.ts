import type { FastifyInstance } from 'fastify';
import { serveBackupRequests } from './backup/index.js';
import type { Deps } from './deps.js';
import { createOutboxSweep, forgetOldSalts, sweepEventLocks } from './ingestion/index.js';
import type { BackgroundKinds } from './jobs/index.js';
import { applyMerges, enforceRetention, purgeBlobs, purgeEvents, purgePersons } from './purge/index.js';
import { alertQueues, queueDueAlerts } from './resources/alerts/index.js';
import { exportQueue, sweepExports } from './resources/exports/index.js';
import { runDueChanges } from './resources/feature-flags/index.js';
import { sampleSpace } from './resources/health/index.js';
import { purgeRecordings } from './resources/recordings/index.js';
import { sampleQueues } from './resources/sample/index.js';
import { endFullSurveys } from './resources/surveys/index.js';
import { VERSION } from './version.js';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** All background work of the service: what runs, how often, and whether on one server or on each. See docs/decisions/0019. */
export const backgroundKinds = (app: FastifyInstance, deps: Deps): BackgroundKinds => ({
  queues: { ...exportQueue(app, deps), ...sampleQueues(app, deps), ...alertQueues(deps) },
  schedules: {
    'purge-blobs': { on: 'one-server', every: MINUTE, deadlineMs: 30 * MINUTE, run: (signal) => purgeBlobs(deps, signal) },
    'purge-events': { on: 'one-server', every: MINUTE, deadlineMs: 30 * MINUTE, run: (signal) => purgeEvents(deps, signal) },
    'purge-persons': { on: 'one-server', every: MINUTE, deadlineMs: 30 * MINUTE, run: (signal) => purgePersons(deps, signal) },
    'purge-recordings': {
      on: 'one-server',
      every: MINUTE,
      deadlineMs: 30 * MINUTE,
      run: (signal) => purgeRecordings(deps, signal),
    },
    'enforce-retention': {
      on: 'one-server',
      every: MINUTE,
      deadlineMs: 30 * MINUTE,
      run: (signal) => enforceRetention(deps, signal),
    },
    'apply-merges': { on: 'one-server', every: 10 * MINUTE, deadlineMs: 30 * MINUTE, run: (signal) => applyMerges(deps, signal) },
    'forget-cookieless-salts': { on: 'one-server', every: MINUTE, deadlineMs: MINUTE, run: () => forgetOldSalts(deps) },
    'sweep-exports': { on: 'one-server', every: MINUTE, deadlineMs: MINUTE, run: () => sweepExports(deps) },
    'sweep-queries': { on: 'one-server', every: MINUTE, deadlineMs: MINUTE, run: () => deps.services.queryRuns.sweep() },
    'sweep-results': {
      on: 'one-server',
      every: MINUTE,
      deadlineMs: MINUTE,
      run: async () => deps.services.queryResults.shared?.sweep(),
    },
    // it measures once an hour, and soon after the first start
    'sample-space': { on: 'one-server', every: MINUTE, deadlineMs: 30 * MINUTE, run: (signal) => sampleSpace(deps, signal) },
    'queue-due-alerts': { on: 'one-server', every: 30 * SECOND, deadlineMs: MINUTE, run: () => queueDueAlerts(deps) },
    backups: {
      on: 'one-server',
      every: SECOND,
      deadlineMs: 24 * 60 * MINUTE,
      run: (signal) => serveBackupRequests(deps, VERSION, signal),
    },
    'end-full-surveys': { on: 'one-server', every: MINUTE, deadlineMs: 10 * MINUTE, run: () => endFullSurveys(deps) },
    // a change is made within a second of its time: each server takes the due rows one by one
    'scheduled-flag-changes': { on: 'each-server', every: SECOND, deadlineMs: MINUTE, run: () => runDueChanges(deps) },
    // what a server saw at its last run, and still is there, nobody else is at
    'sweep-outbox': { on: 'each-server', every: 5 * SECOND, deadlineMs: MINUTE, run: createOutboxSweep(deps) },
    'sweep-event-claims': { on: 'each-server', every: 5 * SECOND, deadlineMs: MINUTE, run: () => sweepEventLocks(deps) },
  },
});
