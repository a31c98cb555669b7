import { fileURLToPath } from 'node:url';
import { SHARE_ENV } from 'node:worker_threads';
import type { Insight } from '@tidemark/charts';
import { Piscina } from 'piscina';
import { OWN_FOLDER } from '../../../kernel/own-folder.js';
import type { Board } from './dashboard.js';
import type { Drawing, Made, RendererFolders, SvgSize } from './protocol.js';

/** Draws charts and dashboards in worker threads. A drawing whose signal aborts rejects alone: the others are not affected. */
export interface Renderer {
  /** A dashboard or an insight as a PNG, two pixels for each of its size. */
  png(board: Board, signal?: AbortSignal): Promise<Uint8Array>;
  /** A dashboard or an insight as a PDF. */
  pdf(board: Board, made: Made, signal?: AbortSignal): Promise<Uint8Array>;
  /** The chart of an insight alone, as SVG. */
  svg(insight: Insight, size: SvgSize): Promise<string>;
  /** Ends the threads; drawings that are not finished reject. */
  close(): Promise<void>;
}

/** A thread without work for this long is stopped; milliseconds. */
const IDLE_MS = 60_000;
/** One long document must not delay every chart of a public page. */
const MAX_THREADS = 2;
/** The compiled worker: a thread does not load TypeScript. */
const WORKER = fileURLToPath(new URL('dist/resources/exports/render/draw-worker.js', OWN_FOLDER));

/** Threads start with the first drawing. `idleMs`: how long a thread without work stays; milliseconds. */
export function createRenderer(folders: RendererFolders, idleMs = IDLE_MS): Renderer {
  const pool: Piscina<Drawing, Uint8Array> = new Piscina({
    filename: WORKER,
    name: 'draw',
    minThreads: 0,
    maxThreads: MAX_THREADS,
    idleTimeout: idleMs,
    // an idle thread costs nothing but memory: a blocking wait for the next drawing would keep its timers from running
    atomics: 'disabled',
    workerData: folders,
    // fontconfig reads the paths of the fonts from the environment of the process
    env: SHARE_ENV,
  });
  const draw = async (drawing: Drawing, signal?: AbortSignal): Promise<Uint8Array> => pool.run(drawing, signal ? { signal } : {});

  return {
    png: (board, signal) => draw({ kind: 'png', board }, signal),
    pdf: (board, made, signal) => draw({ kind: 'pdf', board, made }, signal),
    svg: async (insight, size) => Buffer.from(await draw({ kind: 'svg', insight, size })).toString(),
    close: () => pool.destroy(),
  };
}
