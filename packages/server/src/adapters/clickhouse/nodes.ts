import { type ClickHouseClient, ClickHouseError, ClickHouseLogLevel, createClient } from '@clickhouse/client';
import type { Logger } from 'pino';
import { splitAddress } from '../../kernel/addresses.js';
import { createPending, type Pending } from '../../kernel/pending.js';
import { EventsUnavailable } from '../../ports/events.js';
import { DATABASE, INSERT_DEADLINE } from './settings.js';

/** Milliseconds that a statement may take; each has a limit of its own. */
const LONGEST = 24 * 60 * 60 * 1000;
/** How long a node may take to say that it is there; milliseconds. */
const ANSWER_MS = 2_000;

/** One address of CLICKHOUSE_URL. */
export interface Server {
  url: string;
  username: string;
  password: string;
  database: string;
}

/** A server of CLICKHOUSE_URL, with its connections. */
export interface Node {
  readonly server: Server;
  readonly client: ClickHouseClient;
  /** A connection of its own: all others may be waiting. */
  readonly pulse: ClickHouseClient;
  /** What is under way. When another node takes over, it is not waited for. */
  readonly pending: Pending;
}

/**
 * The servers of CLICKHOUSE_URL, each of which leads to the same data. One is in use, the first that could be reached, until it cannot be
 * reached any more: a read then finds what was written before through the same node, also where replicas lag behind each other.
 */
export interface Nodes {
  readonly areSeveral: boolean;
  /** Addresses of all, without passwords. */
  readonly urls: readonly string[];
  current(): Node;
  /** Puts the first node into use that answers. @returns whether one does */
  choose(): Promise<boolean>;
  /** Puts another node into use that answers, if `node` is in use. @returns whether one that answers is in use now */
  leave(node: Node): Promise<boolean>;
  /** Leaves a node after a fault if it gives no sign of life. @returns which node is in use now; `none`: none answers */
  check(node: Node): Promise<'same' | 'other' | 'none'>;
  close(): Promise<void>;
}

/** @param ca certificate authority that signs the certificates of the servers; undefined: those that Node.js knows */
export function createNodes(address: string, { log, ca }: { log: Logger; ca?: Buffer | undefined }): Nodes {
  const nodes = parseAddress(address).map(
    (server): Node => ({
      server,
      client: connect(server, server.database, { ca }),
      pulse: connect(server, server.database, { ca, connections: 1 }),
      pending: createPending(),
    }),
  );
  let [current] = nodes;
  /** A search that runs is shared by all who need its result. */
  let searching: Promise<boolean> | null = null;

  async function search(candidates: readonly Node[]): Promise<boolean> {
    const before = current;
    // all at once: one that is silent costs its time only if all before it are away
    const answers = candidates.map((node) => ({ node, isThere: answersAt(node) }));
    for (const { node, isThere } of answers) {
      if (!(await isThere)) continue;
      current = node;
      if (!before || node === before) return true;
      log.warn({ from: before.server.url, to: node.server.url }, 'another ClickHouse server is in use');
      before.pending.rejectAll(new EventsUnavailable('The ClickHouse server cannot be reached.'));
      return true;
    }
    return false;
  }

  const inUse = () => {
    if (!current) throw new EventsUnavailable('CLICKHOUSE_URL names no server.');
    return current;
  };
  const searchOnce = (candidates: readonly Node[]): Promise<boolean> => {
    searching ??= search(candidates).finally(() => {
      searching = null;
    });
    return searching;
  };
  const others = (node: Node) => nodes.filter((other) => other !== node);

  return {
    areSeveral: nodes.length > 1,
    urls: nodes.map(({ server }) => server.url),
    current: inUse,
    choose: () => search(nodes),
    leave: async (node) => {
      if (nodes.length === 1) return false;
      return node !== current || searchOnce(others(node));
    },
    check: async (node) => {
      if (node === current && !(await searchOnce([node, ...others(node)]))) return 'none';
      return node === current ? 'same' : 'other';
    },
    close: async () => {
      await Promise.all(nodes.flatMap(({ client, pulse }) => [client.close(), pulse.close()]));
    },
  };
}

/** ClickHouse's error number for the statements of a server that is stopping. */
export const ABORTED = '236';

/** Asks a node for a sign of life; a refusal is one, too, unless it is stopping. @throws Error when the node is not there */
export async function askPulse({ pulse }: Node, signal: AbortSignal): Promise<void> {
  await pulse.command({ query: 'SELECT 1 FORMAT Null', abort_signal: signal }).catch((error: unknown) => {
    if (!(error instanceof ClickHouseError) || error.code === ABORTED) throw error;
  });
}

const answersAt = (node: Node): Promise<boolean> =>
  askPulse(node, AbortSignal.timeout(ANSWER_MS)).then(
    () => true,
    () => false,
  );

/** The servers of an address: `http(s)://user:password@host:port,host:port/database`. */
function parseAddress(address: string): Server[] {
  return splitAddress(address).map((text) => {
    const url = new URL(text);
    return {
      url: url.origin,
      username: decodeURIComponent(url.username) || 'default',
      password: decodeURIComponent(url.password),
      database: decodeURIComponent(url.pathname.slice(1)) || DATABASE,
    };
  });
}

/** Opens connections to one server. */
export const connect = (
  { url, username, password }: Server,
  database: string,
  { connections = 20, ca }: { connections?: number; ca?: Buffer | undefined },
): ClickHouseClient =>
  createClient({
    url,
    username,
    password,
    database,
    application: 'tidemark',
    request_timeout: LONGEST,
    max_open_connections: connections,
    // its messages quote statements and rows
    log: { level: ClickHouseLogLevel.OFF },
    ...(ca ? { tls: { ca_cert: ca } } : {}),
  });

/** Creates the database of a server, unless the server refuses: then the operator has created it. */
export async function createDatabase(server: Server, { ca }: { ca?: Buffer | undefined }): Promise<void> {
  const client = connect(server, 'default', { ca, connections: 1 });
  try {
    await client.command({
      query: 'CREATE DATABASE IF NOT EXISTS {name:Identifier}',
      query_params: { name: server.database },
      abort_signal: AbortSignal.timeout(INSERT_DEADLINE),
    });
  } catch (error) {
    if (!(error instanceof ClickHouseError)) throw error;
  } finally {
    await client.close();
  }
}

/** Whether the server was not reached; a refusal is final. */
export const isAway = (error: unknown): boolean =>
  error instanceof EventsUnavailable || (error instanceof Error && !(error instanceof ClickHouseError) && 'code' in error);
