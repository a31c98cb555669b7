import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { SHARE_ENV, Worker } from 'node:worker_threads';
import type { Insight } from '@tidemark/charts';
import { OWN_FOLDER } from '../../../kernel/own-folder.js';
import type { Board } from './board.js';
import type { Drawing, DrawingAnswer, DrawingRequest, Made, RendererFolders, SvgSize } from './protocol.js';

/** Draws in a thread of its own, which is there while it is used. */
export interface Renderer {
  /** A dashboard or an insight as a picture, two pixels for each of its size. */
  png(board: Board, signal?: AbortSignal): Promise<Uint8Array>;
  /** The same as a document. */
  pdf(board: Board, made: Made, signal?: AbortSignal): Promise<Uint8Array>;
  /** The chart of an insight alone, as SVG. */
  svg(insight: Insight, size: SvgSize): Promise<string>;
  close(): Promise<void>;
}

/** How long the thread is kept without work; milliseconds. */
const IDLE_MS = 60_000;
const fromSource = import.meta.url.endsWith('.ts');

interface Waiting {
  resolve(bytes: Uint8Array): void;
  reject(error: Error): void;
}

/** Nothing is started before something is to be drawn. */
export function createRenderer(folders: RendererFolders): Renderer {
  const waiting = new Map<number, Waiting>();
  let worker: Worker | null = null;
  let idle: NodeJS.Timeout | null = null;
  let last = 0;

  const end = async () => {
    const ended = worker;
    worker = null;
    await ended?.terminate();
  };

  const start = (): Worker => {
    const started = new Worker(script(), {
      workerData: folders,
      // the fonts are named in the environment, where the library of the renderer reads it: in that of the process
      env: SHARE_ENV,
    });
    const fail = (error: Error) => {
      if (worker === started) worker = null;
      for (const one of waiting.values()) one.reject(error);
      waiting.clear();
    };
    started.on('message', (answer: DrawingAnswer) => {
      const one = waiting.get(answer.id);
      waiting.delete(answer.id);
      if ('bytes' in answer) one?.resolve(answer.bytes);
      else one?.reject(new Error(answer.error));
      if (waiting.size > 0) return;
      started.unref();
      idle = setTimeout(end, IDLE_MS).unref();
    });
    started.on('error', fail);
    started.on('exit', () => fail(new Error('The renderer has ended.')));
    return started;
  };

  const draw = (drawing: Drawing, signal?: AbortSignal): Promise<Uint8Array> => {
    if (idle) clearTimeout(idle);
    worker ??= start();
    worker.ref();
    const request: DrawingRequest = { id: ++last, drawing };
    return new Promise<Uint8Array>((resolve, reject) => {
      waiting.set(request.id, { resolve, reject });
      // what is not waited for any more would hold up all that follows
      signal?.addEventListener('abort', () => waiting.has(request.id) && end(), { once: true });
      worker?.postMessage(request);
    });
  };

  return {
    png: (board, signal) => draw({ kind: 'png', board }, signal),
    pdf: (board, made, signal) => draw({ kind: 'pdf', board, made }, signal),
    svg: async (insight, size) => Buffer.from(await draw({ kind: 'svg', insight, size })).toString(),
    close: async () => {
      if (idle) clearTimeout(idle);
      await end();
    },
  };
}

/** Of the thread; the loader of TypeScript has to be asked for inside it. */
function script(): URL {
  if (!fromSource) return new URL('dist/resources/exports/render/draw-worker.js', OWN_FOLDER);
  const loader = pathToFileURL(
    createRequire(import.meta.url)
      .resolve('tsx/esm/api')
      .replace(/\.cjs$/, '.mjs'),
  ).href;
  const worker = new URL('./draw-worker.ts', import.meta.url).href;
  const code = `import { register } from ${JSON.stringify(loader)}; register(); await import(${JSON.stringify(worker)});`;
  return new URL(`data:text/javascript,${encodeURIComponent(code)}`);
}
