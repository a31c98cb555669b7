import { fileURLToPath } from 'node:url';
import { SHARE_ENV } from 'node:worker_threads';
import type { Insight } from '@tidemark/charts';
import { PACKAGE_FOLDER } from '../../../kernel/package-folder.js';
import { createThreadPool } from '../../../thread-pool.js';
import type { DashboardSnapshot, Drawing, DrawnFile, Paper, RendererFolders, SvgSize } from './drawing.js';

/** Draws charts and dashboards in worker threads. When a signal aborts, only its own drawing rejects. */
export interface Renderer {
  /** A dashboard or an insight as a PNG at twice its size, for screens of high density. */
  png(dashboard: DashboardSnapshot, signal?: AbortSignal): Promise<DrawnFile>;
  /** The picture that chats show for a link, 1200 × 630 pixels. `hasMark`: with the mark of Tidemark. */
  preview(dashboard: DashboardSnapshot, hasMark: boolean): Promise<DrawnFile>;
  /** A dashboard or an insight as a PDF on this paper. */
  pdf(dashboard: DashboardSnapshot, paper: Paper, signal?: AbortSignal): Promise<DrawnFile>;
  /** The chart of an insight as SVG text. */
  svg(insight: Insight, size: SvgSize): Promise<string>;
  /** Stops the threads. Unfinished drawings reject. */
  close(): Promise<void>;
}

/** A thread without work for this long is stopped; milliseconds. */
const IDLE_MS = 60_000;
/** One long document must not delay every chart of a public page. */
const MAX_THREADS = 2;
/** The compiled worker, also in tests: worker threads cannot load TypeScript. */
const WORKER = fileURLToPath(new URL('dist/resources/exports/render/draw-worker.js', PACKAGE_FOLDER));

/** Creates the pool; threads start with the first drawing. `idleMs`: milliseconds until an idle thread stops. */
export function createRenderer(folders: RendererFolders, idleMs = IDLE_MS): Renderer {
  const pool = createThreadPool<Drawing, DrawnFile>({
    filename: WORKER,
    name: 'draw',
    maxThreads: MAX_THREADS,
    idleMs,
    workerData: folders,
    // fontconfig reads the paths of the fonts from the environment of the process
    env: SHARE_ENV,
  });
  const draw = pool.run;

  return {
    png: (dashboard, signal) => draw({ kind: 'png', dashboard }, signal),
    preview: (dashboard, hasMark) => draw({ kind: 'preview', dashboard, hasMark }),
    pdf: (dashboard, paper, signal) => draw({ kind: 'pdf', dashboard, paper }, signal),
    svg: async (insight, size) => Buffer.from((await draw({ kind: 'svg', insight, size })).bytes).toString(),
    close: pool.close,
  };
}
