import pg from 'pg';
import { hostOf, splitAddress } from '../../kernel/addresses.js';
import { certificateFault } from '../../kernel/certificate-fault.js';
import { sqlState } from '../../kernel/sql.js';

/** How long one of several servers may take to say whether it accepts writes, unless the address has a `connect_timeout`; milliseconds. */
const ANSWER_MS = 2_000;

/** PostgreSQL refuses to write: the server is a standby. */
const READ_ONLY = '25006';

/** What a connection pooler before a server lets through; all, if there is none. */
export interface Pooler {
  /** Whether a connection has a session of its own. Otherwise it can neither listen nor use prepared statements. */
  keepsSessions: boolean;
  /** Whether a connection may name limits of its statements when it starts. */
  takesLimits: boolean;
}

/**
 * The servers of one database, of which one is the primary. Connections go to the server in use. It changes by {@link Servers.choose}
 * alone, which callers call after a failure.
 */
export interface Servers {
  /** What the pooler before the servers lets through, if there is one. */
  pooler: Pooler;
  /** Whether there is a choice. */
  readonly areSeveral: boolean;
  /** Address of the server in use, with the password: never for a log. */
  url(): string;
  /** Remembers to which choice a new connection belongs. */
  opened(client: object): void;
  /** Whether a connection leads to the server in use, and has not been given up. */
  isCurrent(client: object): boolean;
  /** Gives up all connections so far: the server in use has become read-only. */
  giveUp(): void;
  /**
   * Puts the first server into use that accepts writes, which may be the one in use. Concurrent calls share one search.
   * @throws Error that says of each server why it cannot be used; the server in use stays
   */
  choose(): Promise<void>;
}

/** @param address of one server, or of several as libpq has them */
export function createServers(address: string): Servers {
  const { urls, answerMs } = parseServers(address);
  let current = urls[0] ?? address;
  let choice = 0;
  const choices = new WeakMap<object, number>();
  let searching: Promise<void> | null = null;

  async function search(): Promise<void> {
    // The one in use first: an old primary that hung may go on and believe that it still is the primary.
    // All are asked at once: one that is silent costs its time only if all before it cannot be used.
    const findings = [current, ...urls.filter((url) => url !== current)].map((url) => ({ url, fault: faultOf(url, answerMs) }));
    const faults: { url: string; error: Error }[] = [];
    for (const { url, fault } of findings) {
      const error = await fault;
      if (error) {
        faults.push({ url, error });
        continue;
      }
      if (url !== current) choice += 1;
      current = url;
      return;
    }
    throw noPrimary(faults);
  }

  return {
    pooler: { keepsSessions: true, takesLimits: true },
    areSeveral: urls.length > 1,
    url: () => current,
    opened: (client) => choices.set(client, choice),
    isCurrent: (client) => (choices.get(client) ?? choice) === choice,
    giveUp: () => {
      choice += 1;
    },
    choose: () => {
      searching ??= search().finally(() => {
        searching = null;
      });
      return searching;
    },
  };
}

/** Why a server cannot be used; null: it accepts writes. */
async function faultOf(url: string, answerMs: number): Promise<Error | null> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: answerMs,
    query_timeout: answerMs,
    application_name: 'tidemark search',
  });
  client.on('error', () => {});
  try {
    await client.connect();
    await requireWritable(client);
    return null;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  } finally {
    // a server that hangs does not answer this either
    client.end().catch(() => {});
  }
}

/** @throws Error with the code of a read-only server when the session cannot write */
export async function requireWritable(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ mode: string }>("select current_setting('transaction_read_only') as mode");
  if (rows[0]?.mode === 'on') throw Object.assign(new Error('the server is read-only'), { code: READ_ONLY });
}

/** Whether PostgreSQL has refused a write because the server is read-only. */
export const isReadOnly = (error: unknown): boolean => sqlState(error) === READ_ONLY;

/** Why a server cannot be used, as a part of a sentence. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const certificate = certificateFault(error);
  if (certificate) return certificate;
  if (isReadOnly(error)) return 'it is read-only, as a standby is';
  if (/timeout/i.test(error.message)) return 'it does not answer';
  return error.message || sqlState(error);
}

function noPrimary(faults: readonly { url: string; error: Error }[]): Error {
  const reasons = faults.map(({ url, error }) => `${hostOf(url)} (${reasonOf(error)})`);
  // requests are answered as while a server starts
  return Object.assign(new Error(`none of its servers accepts writes: ${reasons.join(', ')}`), { code: '57P03' });
}

/** The servers of an address, each with an address of its own as `pg` understands it. */
function parseServers(address: string): { urls: string[]; answerMs: number } {
  let answerMs = ANSWER_MS;
  const urls = splitAddress(address).map((text) => {
    const [base = '', query = ''] = text.split(/\?(.*)/s);
    const params = new URLSearchParams(query);
    const seconds = Number(params.get('connect_timeout'));
    if (seconds > 0) answerMs = seconds * 1_000;
    for (const name of OWN_PARAMETERS) params.delete(name);
    // what the modes of `sslmode` mean is as in libpq
    if (params.has('sslmode')) params.set('uselibpqcompat', 'true');
    if (params.get('sslrootcert') === 'system') params.delete('sslrootcert');
    return params.size > 0 ? `${base}?${params}` : base;
  });
  return { urls, answerMs };
}

/** Parameters of libpq that are honored here. `pg` would take them for settings of its own. */
const OWN_PARAMETERS = ['target_session_attrs', 'load_balance_hosts', 'connect_timeout'];
