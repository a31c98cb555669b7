import type { FastifyInstance } from 'fastify';
import { mountProjectRoutes } from '../../auth/index.js';
import type { Deps } from '../../deps.js';
import type { QueueKind } from '../../jobs/index.js';
import { EXPORT_JOB, exportJob } from './export-job.js';
import { exportRoutes } from './routes.js';

export { annotated } from './build/annotate.js';
export { readableHead, withReadableHeads } from './build/readable-heads.js';
export { describeDays, describeMetric, describeTime, sharedDays } from './data/describe.js';
export { sweepExports } from './export-job.js';
export type { DashboardSnapshot, TileContent } from './render/drawing.js';
export { MACHINE_FOLDERS } from './render/machine-fonts.js';
export { type Block, readMarkdown, type Span } from './render/read-markdown.js';
export { createRenderer, type Renderer } from './render/renderer.js';

/** The routes of `exports/`. */
export function registerExports(app: FastifyInstance, deps: Deps): void {
  mountProjectRoutes(
    app,
    deps,
    exportRoutes(() => void deps.services.runner.wake()),
  );
}

/** The background jobs that build the files. */
export const exportQueue = (app: FastifyInstance, deps: Deps): Record<string, QueueKind> => ({
  [EXPORT_JOB]: exportJob(app, deps, deps.services.renderer),
});
