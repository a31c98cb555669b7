import type { FastifyInstance } from 'fastify';
import { mountProjectRoutes } from '../../auth/index.js';
import type { Deps } from '../../deps.js';
import { type Jobs, repeatInTurn, startJobs } from '../../jobs/index.js';
import { EXPORT_JOB, exportJob, sweepExports } from './export-job.js';
import { rendererOf } from './renderer-of.js';
import { exportRoutes } from './routes.js';

export type { DashboardSnapshot, TileContent } from './render/dashboard-snapshot.js';
export { type Block, readMarkdown, type Span } from './render/read-markdown.js';
export { renderDashboardPng, renderTileSvg } from './renderer-of.js';

/** Milliseconds between two searches for expired exports. */
const SWEEP_MS = 60_000;

/** The routes of `exports/`, and the background jobs that build the files. */
export function registerExports(app: FastifyInstance, deps: Deps): void {
  const renderer = rendererOf(deps);
  let jobs: Jobs | null = null;
  let sweeps: { stop(): Promise<void> } | null = null;
  mountProjectRoutes(
    app,
    deps,
    exportRoutes(() => jobs?.wake()),
  );
  app.addHook('onReady', async () => {
    jobs = startJobs(deps, { [EXPORT_JOB]: exportJob(app, deps, renderer) });
    sweeps = repeatInTurn(deps, { name: 'exports', everyMs: SWEEP_MS, run: () => sweepExports(deps) });
  });
  // before the app closes: running jobs call its routes
  app.addHook('preClose', async () => {
    await jobs?.stop();
    await sweeps?.stop();
    await renderer.close();
  });
}
