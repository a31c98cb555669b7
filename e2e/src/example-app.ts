import { type ChildProcess, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import { extname, join } from 'node:path';
import type { Browser, Service } from '@tidemark/testkit';

type Context = Awaited<ReturnType<Browser['newContext']>>;

/** The folder of an example. */
export const exampleFolder = (name: string) => join(import.meta.dirname, '../../examples', name);

/** Starts a program of one of the example's packages. @param program such as `vite/bin/vite.js` */
export function startProgram(example: string, program: string, args: string[], env: Record<string, string>): ChildProcess {
  const [name = '', ...path] = program.split('/');
  const folder = createRequire(join(exampleFolder(example), 'package.json')).resolve(`${name}/package.json`);
  return spawn(process.execPath, [join(folder, '..', ...path), ...args], {
    cwd: exampleFolder(example),
    env: { ...process.env, NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** Waits until a program exits. @throws Error with its output when it fails */
export function finished(child: ChildProcess): Promise<void> {
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk) => {
      output += chunk;
    });
  }
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`It ended with code ${code}:\n${output}`))));
  });
}

/** Serves the files of a folder, and `index.html` for all other paths. */
export async function serveFolder(folder: string): Promise<{ url: string; server: Server }> {
  const types: Record<string, string> = { '.js': 'text/javascript', '.html': 'text/html; charset=utf-8' };
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://site');
    if (pathname === '/favicon.ico') return response.writeHead(204).end();
    const path = extname(pathname) ? pathname : '/index.html';
    try {
      const content = await readFile(join(folder, path));
      response.setHeader('content-type', types[extname(path)] ?? 'application/octet-stream').end(content);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const address = server.address();
  return { url: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`, server };
}

/** A browser that does not look automated, because the SDK ignores visits of bots. */
export async function newVisitor(browser: Browser): Promise<Context> {
  const context = await browser.newContext({ userAgent: 'Mozilla/5.0 (X11; Linux x86_64) Chrome/131.0.0.0 Safari/537.36' });
  await context.addInitScript(`Object.defineProperty(navigator, 'webdriver', { get: () => false })`);
  return context;
}

/** Creates a flag for everybody, or for a share. */
export async function makeFlag(service: Service, key: string, filters: object, share = 100): Promise<void> {
  const groups = [{ properties: [], rollout_percentage: share }];
  const answer = await service.post('/api/projects/@current/feature_flags/', { key, name: key, filters: { groups, ...filters } });
  if (answer.status !== 201) throw new Error(`The flag ${key}: ${answer.status} ${JSON.stringify(answer.body)}`);
}

/** Creates the flag `layout` of both examples: everybody gets `grid`, with three columns. */
export const LAYOUT = {
  multivariate: {
    variants: [
      { key: 'list', name: '', rollout_percentage: 0 },
      { key: 'grid', name: '', rollout_percentage: 100 },
    ],
  },
  payloads: { grid: '{"columns":3}' },
};
