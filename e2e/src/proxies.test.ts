import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { eventually, freePort } from '@tidemark/testkit';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';

/*
 * The files of deploy/proxies: run by nginx, Caddy and Node.js, or read as the program of their format does. What comes out of the
 * other end is compared.
 */

const NGINX = '/usr/sbin/nginx';
const CADDY = '/usr/bin/caddy';
for (const [program, name] of [
  [NGINX, 'nginx'],
  [CADDY, 'caddy'],
]) {
  if (program && !existsSync(program)) console.log(`Its test is skipped. ${name} is not installed (apt-get install ${name}).`);
}
const FOLDER = new URL('../../deploy/proxies/', import.meta.url);
const read = (name: string) => readFile(new URL(name, FOLDER), 'utf8');

/** A request that has come through a proxy. */
interface Arrived {
  to: 'tidemark' | 'site';
  method: string | undefined;
  url: string | undefined;
  headers: IncomingHttpHeaders;
  body: string;
}

let arrived: Arrived[];
const servers: Server[] = [];
const stops: (() => Promise<void>)[] = [];
let tidemark: number;
let site: number;
beforeAll(async () => {
  [tidemark, site] = [await listen('tidemark'), await listen('site')];
});
afterAll(async () => {
  for (const stop of stops) await stop();
  for (const server of servers) server.close();
});
beforeEach(() => {
  arrived = [];
});

/** A server that remembers what arrives. @returns its port */
async function listen(to: Arrived['to']): Promise<number> {
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    // those of the proxy itself
    if (request.url !== '/_ready') arrived.push({ to, method: request.method, url: request.url, headers: request.headers, body });
    response.end(to);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  servers.push(server);
  return (server.address() as AddressInfo).port;
}

/** Runs a proxy until the end of the tests. */
async function start(program: string, port: number, files: Record<string, string>, args: (folder: string) => string[]) {
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-proxy-'));
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  const child = spawn(program, args(folder), { stdio: 'ignore', env: { ...process.env, HOME: folder } });
  stops.push(async () => {
    if (child.exitCode === null && child.signalCode === null) {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    }
    await rm(folder, { recursive: true, force: true });
  });
  const url = `http://127.0.0.1:${port}`;
  await eventually(async () => void (await fetch(`${url}/started`)), { within: 60_000 });
  arrived = [];
  return url;
}

async function startNginx(servers: (port: number) => string): Promise<string> {
  const port = await freePort();
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${name};`).join(' ');
  const text = `daemon off; pid nginx.pid; error_log stderr; events {} http { access_log off; ${paths} ${servers(port)} }`;
  const inFolder = (folder: string) => ['-p', folder, '-c', 'nginx.conf', '-e', 'stderr'];
  return start(NGINX, port, { 'nginx.conf': text }, inFolder);
}

async function startCaddy(sites: (address: string) => string): Promise<string> {
  const port = await freePort();
  const text = `{\n\tadmin off\n\tauto_https off\n}\n${sites(`http://127.0.0.1:${port}`)}`;
  return start(CADDY, port, { Caddyfile: text }, (folder) => [
    'run',
    '--config',
    join(folder, 'Caddyfile'),
    '--adapter',
    'caddyfile',
  ]);
}

const HEADERS = { cookie: 'session=of-the-site', 'content-type': 'application/json' };
const send = (url: string, path: string) => fetch(url + path, { method: 'POST', headers: HEADERS, body: '{"a":1}' });

/** Ways to write the addresses that are for operators. */
const HIDDEN = ['/metrics', '/metrics/', '/%6detrics', '/_health', '/_health/', '/_health?a=1'];

/** Everything but what is for operators arrives, with host and address of the visitor. */
async function requireProxy(url: string): Promise<void> {
  expect((await send(url, '/batch/?ip=1')).status).toBe(200);
  expect(arrived).toEqual([
    {
      to: 'tidemark',
      method: 'POST',
      url: '/batch/?ip=1',
      body: '{"a":1}',
      headers: expect.objectContaining({
        'x-forwarded-for': '127.0.0.1',
        'x-forwarded-proto': 'http',
        'x-forwarded-host': expect.stringMatching(/^127\.0\.0\.1/),
        // the app has its login there
        cookie: 'session=of-the-site',
      }),
    },
  ]);
  for (const path of HIDDEN) expect([path, (await fetch(url + path)).status]).toEqual([path, 404]);
  expect(arrived).toHaveLength(1);
}

/** The path /t/ leads to Tidemark, without it and without cookies of the site. */
async function requireFirstParty(url: string): Promise<void> {
  expect((await send(url, '/t/batch/?ip=1')).status).toBe(200);
  expect(await (await fetch(`${url}/t/static/tidemark.js`)).text()).toBe('tidemark');
  expect(await (await fetch(`${url}/tea`)).text()).toBe('site');
  expect(arrived.map(({ to, url }) => `${to} ${url}`)).toEqual([
    'tidemark /batch/?ip=1',
    'tidemark /static/tidemark.js',
    'site /tea',
  ]);
  expect(arrived[0]).toMatchObject({ method: 'POST', body: '{"a":1}', headers: { 'x-forwarded-for': '127.0.0.1' } });
  expect(arrived[0]?.headers.cookie ?? '').toBe('');
  for (const path of HIDDEN) expect([path, (await fetch(`${url}/t${path}`)).status]).toEqual([path, 404]);
  expect(arrived).toHaveLength(3);
}

describe.skipIf(!existsSync(NGINX))('nginx', () => {
  test('in front of Tidemark', async () => {
    const text = await read('nginx.conf');
    const url = await startNginx((port) =>
      text
        .replace('listen 443 ssl', `listen 127.0.0.1:${port}`)
        .replace(/^ *ssl_.*$/gm, '')
        .replaceAll('127.0.0.1:8000', `127.0.0.1:${tidemark}`),
    );
    await requireProxy(url);
  });

  test('a path of the site', async () => {
    const text = (await read('nginx-first-party.conf')).replaceAll('127.0.0.1:8000', `127.0.0.1:${tidemark}`);
    const others = `location / { proxy_pass http://127.0.0.1:${site}; }`;
    await requireFirstParty(await startNginx((port) => `server { listen 127.0.0.1:${port};\n${text}\n${others} }`));
  });
});

describe.skipIf(!existsSync(CADDY))('Caddy', () => {
  test('in front of Tidemark', async () => {
    const text = (await read('Caddyfile')).replaceAll('127.0.0.1:8000', `127.0.0.1:${tidemark}`);
    await requireProxy(await startCaddy((address) => text.replace('analytics.example.com', address)));
  });

  test('in front of two servers, of which one is away', async () => {
    const text = (await read('servers.Caddyfile'))
      .replace('tidemark-a:8000', `127.0.0.1:${tidemark}`)
      .replace('tidemark-b:8000', `127.0.0.1:${await freePort()}`);
    await requireProxy(await startCaddy((address) => text.replace('{$TIDEMARK_DOMAIN}', address)));
  });

  test('a path of the site', async () => {
    const text = (await read('first-party.Caddyfile'))
      .replaceAll('127.0.0.1:8000', `127.0.0.1:${tidemark}`)
      .replaceAll('127.0.0.1:3000', `127.0.0.1:${site}`);
    await requireFirstParty(await startCaddy((address) => text.replace(/^www\.example\.com/m, address)));
  });
});

test('the Worker of Cloudflare passes requests on with the address of the visitor, without cookies of the site', async () => {
  const { default: worker } = await import(/* @vite-ignore */ new URL('cloudflare-worker.js', FOLDER).href);
  const env = { TIDEMARK: `http://127.0.0.1:${tidemark}` };
  const request = new Request('https://www.example.com/t/batch/?ip=1', {
    method: 'POST',
    headers: { ...HEADERS, 'cf-connecting-ip': '203.0.113.7', 'x-forwarded-for': '198.51.100.1' },
    body: '{"a":1}',
  });
  expect(await (await worker.fetch(request, env)).text()).toBe('tidemark');
  await worker.fetch(new Request('https://www.example.com/t/static/tidemark.js'), env);
  expect(arrived).toMatchObject([
    { method: 'POST', url: '/batch/?ip=1', body: '{"a":1}', headers: { 'x-forwarded-for': '203.0.113.7' } },
    { method: 'GET', url: '/static/tidemark.js', body: '' },
  ]);
  expect(arrived[0]?.headers.cookie).toBeUndefined();
});

/** Where rewrites of Next.js or Vercel lead; both use this library. */
function rewritten(rewrites: readonly { source: string; destination: string }[], path: string): string | null {
  const { compile, match } = createRequire(import.meta.url)('next/dist/compiled/path-to-regexp');
  for (const { source, destination } of rewrites) {
    const found = match(source, { strict: true })(path);
    if (!found) continue;
    const { origin, pathname } = new URL(destination);
    return origin + compile(pathname)(found.params);
  }
  return null;
}

test('Next.js and Vercel rewrite the path alone, with its slash at the end where there is one', async () => {
  const { default: next } = await import(/* @vite-ignore */ new URL('next.config.mjs', FOLDER).href);
  const rewrites = await next.rewrites();
  expect(next.skipTrailingSlashRedirect).toBe(true);
  expect(rewritten(rewrites, '/t/batch/')).toBe('https://analytics.example.com/batch/');
  expect(rewritten(rewrites, '/t/static/tidemark.js')).toBe('https://analytics.example.com/static/tidemark.js');
  expect(rewritten(rewrites, '/tea')).toBeNull();
  const vercel = JSON.parse(await read('vercel.json')).rewrites;
  expect(rewritten(vercel, '/t/static/tidemark.js')).toBe('https://analytics.example.com/static/tidemark.js');
  expect(rewritten(vercel, '/tea')).toBeNull();
});

test('Netlify gets a proxy, not a redirect', async () => {
  const lines = (await read('netlify.toml')).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  expect(lines.map((line) => line.trim())).toEqual([
    '[[redirects]]',
    'from = "/t/*"',
    'to = "https://analytics.example.com/:splat"',
    'status = 200',
    'force = true',
  ]);
});

test('the routers of Traefik name services and middlewares that there are, and none leads to what is for operators', async () => {
  const { http } = parse(await read('traefik.yaml'));
  for (const [name, router] of Object.entries<{ rule: string; service: string; middlewares?: string[] }>(http.routers)) {
    expect(Object.keys(http.services)).toContain(router.service);
    expect(Object.keys(http.middlewares)).toEqual(expect.arrayContaining(router.middlewares ?? []));
    const prefix = name.includes('first-party') ? '/t' : '';
    for (const path of ['/metrics', '/_health']) expect(router.rule).toContain(`!PathPrefix(\`${prefix}${path}\`)`);
  }
});

test.skipIf(!existsSync(NGINX))('nginx would not accept any configuration', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-proxy-'));
  await writeFile(join(folder, 'nginx.conf'), 'events {} http { server { proxy_pas http://a; } }');
  await expect(promisify(execFile)(NGINX, ['-t', '-p', folder, '-c', 'nginx.conf', '-e', 'stderr'])).rejects.toThrow('proxy_pas');
  await rm(folder, { recursive: true });
});
