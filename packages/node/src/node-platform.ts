import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Platform } from '@tidemark/client';
import { ownProcess, type ProcessPort } from './exceptions/process-exceptions.js';
import { createSourceReader, type SourceReader } from './exceptions/source-context.js';
import { uuid7 } from './uuid7.js';
import { VERSION } from './version.js';

/** What a server adds to a platform. */
export interface NodePlatform extends Platform {
  /** Calls the listener whenever the process has nothing left to do and would end. Returns a function that removes it. */
  onIdle?(listener: () => void): () => void;
  /** Keeps the process alive while a caller waits for a result. Returns a function that ends it. */
  stayUp?(): () => void;
  process: ProcessPort;
  readSource: SourceReader;
}

const compress = promisify(gzip);

/** The platform that is Node.js itself. Its timers do not keep the process alive. */
export function nodePlatform(): NodePlatform {
  const stored = new Map<string, string>();
  return {
    library: { name: 'tidemark-node', version: VERSION },
    clock: { now: () => Date.now() },
    ids: { uuid7 },
    timers: {
      // Node.js runs timers above 2^31 ms at once
      set: (run, ms) => setTimeout(run, Math.min(ms, 2e9)).unref(),
      clear: (handle) => clearTimeout(handle as NodeJS.Timeout),
    },
    // a server serves many people, so nothing of one is stored for the next
    store: {
      get: (key) => stored.get(key) ?? null,
      set: (key, text) => void stored.set(key, text),
      remove: (key) => void stored.delete(key),
    },
    fetch: async (url, request) => {
      const response = await fetch(url, request);
      // read here, where the request can be given up
      const text = await response.text();
      return { status: response.status, header: (name) => response.headers.get(name), text: async () => text };
    },
    gzip: async (text) => new Uint8Array(await compress(text)),
    log: console,
    onIdle: (listener) => {
      process.on('beforeExit', listener);
      return () => process.off('beforeExit', listener);
    },
    stayUp: () => {
      const timer = setInterval(() => {}, 2 ** 30);
      return () => clearInterval(timer);
    },
    process: ownProcess,
    readSource: createSourceReader(),
  };
}
