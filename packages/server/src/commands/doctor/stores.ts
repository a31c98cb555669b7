import { createServer } from 'node:net';
import { sql } from 'kysely';
import { pino } from 'pino';
import { openBlobs } from '../../adapters/blobs/index.js';
import { joinPostgres } from '../../adapters/postgres/index.js';
import { createScheduler, tryLockDataDirectory } from '../../adapters/system/index.js';
import type { Config } from '../../config.js';
import { splitAddress } from '../../kernel/addresses.js';
import { sentenceOf } from '../../kernel/errors.js';
import { localAddress } from '../local-address.js';
import { ANSWER_MS, type Finding, fault, ok } from './finding.js';

const silent = pino({ level: 'silent' });
const reason = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error && error.cause.message ? error.cause.message : error.message;
};

/**
 * The data directory and the port: whether this user may write the one and open the other, or a Tidemark that runs there is well.
 * A missing directory is created, as a start would do.
 */
export async function checkDirectoryAndPort(config: Config): Promise<Finding[]> {
  let lock: Awaited<ReturnType<typeof tryLockDataDirectory>>;
  try {
    lock = await tryLockDataDirectory(config.dataDir);
  } catch (error) {
    const remedy = 'Give the directory to the user of the service, or set TIDEMARK_DATA to another one.';
    return [fault('data directory', sentenceOf(error), remedy), await checkPort(config)];
  }
  if (!lock) return [ok('data directory', `${config.dataDir}, in use by a running Tidemark`), await checkRunning(config)];
  await lock.release();
  return [ok('data directory', `${config.dataDir}, writable`), await checkPort(config)];
}

async function checkPort({ port, host }: Config): Promise<Finding> {
  const server = createServer();
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, host, resolve);
    });
    await new Promise((resolve) => server.close(resolve));
    return ok('port', `${host}:${port} is free`);
  } catch (error) {
    return fault('port', `${host}:${port} cannot be opened: ${reason(error)}`, 'Set PORT and HOST, or stop the other program.');
  }
}

async function checkRunning(config: Config): Promise<Finding> {
  const url = `${localAddress(config)}/_health`;
  const remedy = 'Read its log. If it listens elsewhere, run this with its PORT and HOST.';
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(ANSWER_MS) });
    const text = (await response.text()).slice(0, 500);
    return response.ok ? ok('service', `${url} says ok`) : fault('service', `${url} answers ${response.status}: ${text}`, remedy);
  } catch (error) {
    return fault('service', `${url} does not answer: ${reason(error)}`, remedy);
  }
}

/** The servers of the stores that the settings name; embedded ones are checked by the running service. */
export function checkStores(config: Config): Promise<Finding[]> {
  return Promise.all([checkPostgres(config), checkClickHouse(config), checkBlobs(config)]);
}

async function checkPostgres(config: Config): Promise<Finding> {
  if (!config.databaseUrl) return ok('PostgreSQL', 'embedded');
  try {
    const { db, close } = await joinPostgres(config, silent, createScheduler(), { patience: ANSWER_MS });
    try {
      const { rows } = await sql<{ version: string }>`select current_setting('server_version') as version`.execute(db);
      return ok('PostgreSQL', `version ${rows[0]?.version}, of DATABASE_URL`);
    } finally {
      await close();
    }
  } catch (error) {
    return fault('PostgreSQL', reason(error), 'Check the address, the password and the firewall; the database must exist.');
  }
}

async function checkClickHouse({ clickhouseUrl }: Config): Promise<Finding> {
  if (!clickhouseUrl) return ok('ClickHouse', 'embedded');
  const versions: string[] = [];
  for (const address of splitAddress(clickhouseUrl)) {
    const { origin, host, username, password } = new URL(address);
    const remedy = 'Check the address, the password and the firewall: Tidemark uses the HTTP interface, usually port 8123.';
    try {
      const response = await fetch(`${origin}/?query=${encodeURIComponent('select version()')}`, {
        headers: {
          'x-clickhouse-user': decodeURIComponent(username) || 'default',
          'x-clickhouse-key': decodeURIComponent(password),
        },
        signal: AbortSignal.timeout(ANSWER_MS),
      });
      const text = (await response.text()).trim().slice(0, 300);
      if (!response.ok) return fault('ClickHouse', `${host} answers ${response.status}: ${text}`, remedy);
      versions.push(`${text} at ${host}`);
    } catch (error) {
      return fault('ClickHouse', `${host} does not answer: ${reason(error)}`, remedy);
    }
  }
  return ok('ClickHouse', `version ${versions.join(', ')}`);
}

async function checkBlobs(config: Config): Promise<Finding> {
  if (!config.s3) return ok('files', 'in the data directory');
  try {
    const blobs = await openBlobs(config, silent);
    await blobs.close();
    return ok('files', `in the bucket ${config.s3.bucket}`);
  } catch (error) {
    // its own sentence names the bucket and the setting
    const text = sentenceOf(error);
    return fault('files', text, 'Check TIDEMARK_BLOBS and the settings TIDEMARK_S3_*.');
  }
}
