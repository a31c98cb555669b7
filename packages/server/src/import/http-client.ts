import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { isObject, type Json } from '../kernel/json.js';
import { type Scheduler, sleep } from '../kernel/scheduler.js';
import { ImportError } from './import-error.js';
import { type Answer, createByteSender } from './send-bytes.js';

export interface HttpClientOptions {
  /** Address of the service. */
  host: string;
  /** How errors name the service, such as "the source". */
  name: string;
  /** Sent as a bearer token; null: none. */
  key: string | null;
  scheduler: Scheduler;
  /** Longest time without an accepted request, milliseconds. Default: ten minutes. */
  patienceMs?: number | undefined;
  /** Is called before a wait, with its reason. */
  onWait?: ((sentence: string) => void) | undefined;
}

/** A service that speaks JSON over HTTP. Requests are repeated: those of events have uuids, and those that create objects look for them first. */
export interface HttpClient {
  readonly host: string;
  /**
   * The parsed response of an accepted request. `path` may be a whole URL of this host. A body that is a text or bytes is JSON already.
   * @throws Refusal the service refuses the request
   * @throws ImportError there is no response within the patience, or the key is not accepted
   */
  request(method: Method, path: string, body?: unknown, options?: RequestOptions): Promise<Json>;
  /** The text of an accepted `GET`. @throws as {@link request} */
  text(path: string): Promise<string>;
  /** The same service, with a check before each attempt to write: what it throws ends the request. */
  checkedBy(beforeWrite: () => Promise<void>): HttpClient;
}

type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';

interface RequestOptions {
  /** Longest time without an accepted response, milliseconds; 0: one attempt. Default: that of the client. */
  patienceMs?: number;
  /**
   * Looks for the effect of an attempt whose response was lost, before the next attempt: what it finds is the response. undefined: the attempt had
   * none. Without it, the request may be repeated.
   */
  findEffect?: () => Promise<Json | undefined>;
}

/** How a request is sent, and what its response becomes. */
interface Sending<T> {
  longestMs: number;
  beforeWrite: (() => Promise<void>) | null;
  findEffect: (() => Promise<T | undefined>) | undefined;
  read: (text: string) => T;
}

/** A response that refuses the content of one request: the import may go on without it. */
export class Refusal extends Error {
  override name = 'Refusal';
  readonly status: number;
  /** The field at fault, nested names joined by `__`. */
  readonly attr: string | null;

  constructor(status: number, detail: string, attr: string | null) {
    super(detail);
    this.status = status;
    this.attr = attr;
  }
}

const PATIENCE_MS = 600_000;
const MAX_WAIT_MS = 60_000;
/** Longest wait that a service may ask for by `Retry-After`: limits of some count by the hour. */
const LONGEST_LIMIT_MS = 2 * 3_600_000;
const TIMEOUT_MS = 180_000;
const HEALTH_TIMEOUT_MS = 5_000;
/** Paths of bodies that are worth compressing. */
const LARGE = /\/(batch|s)\/$/;
/** Smaller bodies are not compressed. */
const GZIP_FROM = 16_384;
const compress = promisify(gzip);

/** @throws ImportError the address is not one */
export function createHttpClient(options: HttpClientOptions): HttpClient {
  const { name, key, scheduler, patienceMs = PATIENCE_MS, onWait = () => {} } = options;
  const host = options.host.replace(/\/+$/, '');
  if (!/^https?:\/\/[^/]/.test(host)) throw new ImportError(`"${host}" is not an address: write https://… of ${name}.`);
  // compression costs more than it saves within a machine
  const isNear = /^https?:\/\/(localhost|127\.|\[::1\])/.test(host);

  const sendBytes = createByteSender(TIMEOUT_MS);

  async function attempt(method: string, url: string, body: string | Uint8Array | null): Promise<Answer> {
    const headers: Record<string, string> = key === null ? {} : { authorization: `Bearer ${key}` };
    if (body !== null) headers['content-type'] = 'application/json';
    const isCompressed = !isNear && body !== null && body.length > GZIP_FROM && LARGE.test(url);
    if (isCompressed) headers['content-encoding'] = 'gzip';
    const sent = isCompressed ? await compress(body, { level: 1 }) : body;
    if (sent instanceof Uint8Array) return sendBytes(method, url, headers, sent);
    const response = await fetch(url, { method, headers, body: sent, signal: AbortSignal.timeout(TIMEOUT_MS) });
    const { status, statusText } = response;
    return { status, statusText, header: (name) => response.headers.get(name), text: await response.text() };
  }

  /** The accepted response. */
  async function send<T>(
    method: Method,
    path: string,
    body: unknown,
    { longestMs, beforeWrite, findEffect, read }: Sending<T>,
  ): Promise<T> {
    const url = path.startsWith('http') ? path : host + path;
    const content =
      body === undefined ? null : typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body);
    let until = scheduler.uptime() + longestMs;
    let mayHaveWorked = false;
    for (let tries = 0; ; tries++) {
      if (mayHaveWorked && findEffect) {
        const found = await findEffect();
        if (found !== undefined) return found;
      }
      if (beforeWrite && method !== 'GET') await beforeWrite();
      let problem: string;
      let waitMs = Math.min(250 * 2 ** tries, MAX_WAIT_MS);
      try {
        const response = await attempt(method, url, content);
        const { status } = response;
        if (status >= 200 && status < 300) return read(response.text);
        const { detail, attr } = readError(response);
        if (!isTemporary(status)) throw refusalOf(name, status, detail, attr);
        problem =
          status === 429 ? `${name} limits the rate of requests` : `${name} answers ${status}: ${detail.replace(/\.$/, '')}`;
        mayHaveWorked = status !== 429;
        const askedMs = retryAfterMs(response);
        waitMs = askedMs ?? waitMs;
        // a service that says when it answers again is not away
        if (status === 429 && askedMs !== null && askedMs <= LONGEST_LIMIT_MS && longestMs > 0) until += askedMs;
      } catch (error) {
        if (error instanceof Refusal || error instanceof ImportError) throw error;
        mayHaveWorked = true;
        problem = `${name} does not answer (${causeOf(error)})`;
      }
      if (scheduler.uptime() + waitMs > until) {
        const reason = (await hasFullDisk(host)) ? `${capital(problem)}. Its disk is full` : capital(problem);
        throw new ImportError(`${reason}. Run the same command again later: it continues where it stopped.`);
      }
      onWait(`${capital(problem)}; next attempt in ${Math.ceil(waitMs / 1_000)} s`);
      await sleep(scheduler, waitMs);
    }
  }

  const clientWith = (beforeWrite: (() => Promise<void>) | null): HttpClient => ({
    host,
    request: (method, path, body, { patienceMs: longestMs = patienceMs, findEffect } = {}) =>
      send(method, path, body, { longestMs, beforeWrite, findEffect, read: (text) => readJson(host, text) }),
    text: (path) =>
      send('GET', path, undefined, { longestMs: patienceMs, beforeWrite, findEffect: undefined, read: (text) => text }),
    checkedBy: clientWith,
  });
  return clientWith(null);
}

/** Whether a Tidemark says that its disk is full. */
async function hasFullDisk(host: string): Promise<boolean> {
  try {
    const response = await fetch(`${host}/_health`, { signal: AbortSignal.timeout(HEALTH_TIMEOUT_MS) });
    const health: unknown = await response.json();
    return isObject(health) && isObject(health['disk']) && health['disk']['ok'] === false;
  } catch {
    return false;
  }
}

const isTemporary = (status: number): boolean => status === 429 || status === 408 || status >= 500;

function readJson(host: string, text: string): Json {
  if (text === '') return null;
  try {
    return JSON.parse(text);
  } catch {
    throw new ImportError(`${host} does not answer with JSON: is this the address of the service?`);
  }
}

function readError({ text, statusText }: Answer): { detail: string; attr: string | null } {
  try {
    const body: unknown = JSON.parse(text);
    if (isObject(body)) {
      const detail = body['detail'] ?? body['error'] ?? text;
      return { detail: String(detail), attr: typeof body['attr'] === 'string' ? body['attr'] : null };
    }
  } catch {
    // capture endpoints answer with a sentence
  }
  return { detail: text.slice(0, 300) || statusText, attr: null };
}

function refusalOf(name: string, status: number, detail: string, attr: string | null): Error {
  if (status === 401) return new ImportError(`${capital(name)} does not accept the key: ${detail}`);
  return new Refusal(status, detail, attr);
}

/** Milliseconds of a `Retry-After` header, which has seconds or a date. */
function retryAfterMs({ header }: Answer): number | null {
  const after = header('retry-after');
  if (after === null) return null;
  const seconds = Number(after);
  // a date counts from the clock of the service
  const ms = Number.isFinite(seconds) ? seconds * 1_000 : Date.parse(after) - Date.parse(header('date') ?? '');
  return Number.isNaN(ms) ? null : Math.max(0, ms);
}

const causeOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message || error.cause.name : error.message;
};

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
