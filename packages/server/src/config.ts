import { readFileSync, statSync } from 'node:fs';
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { splitAddress } from './kernel/addresses.js';
import { type BucketAccess, type FolderPlace, overlap, type S3Settings } from './kernel/places.js';
import { ROLES, type Role } from './kernel/roles.js';
import { machineMemory } from './machine-memory.js';

export type { FolderPlace, S3Settings } from './kernel/places.js';

/** All settings, read once from the environment. */
export interface Config {
  port: number;
  host: string;
  /** What this server does. */
  roles: readonly Role[];
  /** How long a stopping server serves on while it says that it is not ready, so that load balancers notice; seconds. */
  drainSeconds: number;
  /** Absolute path of the data directory of the embedded stores. */
  dataDir: string;
  /** Set: use this PostgreSQL instead of the embedded one. May name several servers, of which one accepts writes. */
  databaseUrl: string | null;
  /** Set: the same database without the connection pooler of `databaseUrl`, for what needs a session of its own. */
  databaseDirectUrl: string | null;
  /** Connections to PostgreSQL at most, besides the one that listens for changes. */
  databaseConnections: number;
  /** Set: use this ClickHouse (http(s) URL with the database as path, and one or several hosts) instead of the embedded one. */
  clickhouseUrl: string | null;
  /** Set: make the tables on this cluster of the server's `remote_servers`. */
  clickhouseCluster: string | null;
  /** How many replicas of a shard have a row before its insert is acknowledged: 0 one, `auto` most of them. */
  clickhouseQuorum: number | 'auto';
  /** Certificate of the authority that signs those of the ClickHouse servers; null: those that Node.js knows. */
  clickhouseAuthority: Buffer | null;
  /** Set: store blobs in this bucket instead of in files. */
  s3: S3Settings | null;
  /** How buckets are reached, that of blobs and those of backups. */
  bucketAccess: BucketAccess;
  /** Backups that the service makes by itself. */
  backup: BackupSchedule | null;
  /** Whether the embedded stores sync every write to the disk. */
  fsync: boolean;
  /** Bytes that the embedded event engine may use. */
  engineMemory: number;
  /** Addresses or networks of the proxies whose `X-Forwarded-*` headers are trusted. */
  trustedProxies: string[];
  /** Whether visitors may sign up without an invite once an account exists. */
  openSignup: boolean;
  /** Path of a MaxMind city database; null: no geography. */
  geoipFile: string | null;
  /** Folder with additional fonts for pictures and documents; null: only the built-in fonts. */
  fontFolder: string | null;
  /** Bytes of events that wait for the store at most; beyond them capture answers 503. */
  queueBytes: number;
  /** Address of a service to which captured requests are sent as well; null: none. */
  forwardTo: string | null;
  /** Bytes of requests that wait to be forwarded at most; beyond them requests are not forwarded. */
  forwardQueueBytes: number;
  /** How old a query result that takes long to compute may be, seconds, unless a project or a request says otherwise. */
  stalenessSeconds: number;
  logLevel: string;
  /** `max-age` of `Strict-Transport-Security` in seconds; null: only public pages send the header. */
  hsts: number | null;
  /** Rate limits of personal keys: `off` none, `on` the standard limits, else these limits for all routes. */
  rateLimits: 'off' | 'on' | { perMinute: number; perHour: number };
  /** Whether webhooks may have addresses in private networks, such as that of the service itself. */
  privateWebhooks: boolean;
  /** Key of the project into which the web app captures its own use; null: it captures nothing. */
  selfKey: string | null;
  init: InitAccount | null;
}

/** The account that the first start creates (for containers and tests). */
export interface InitAccount {
  email: string;
  password: string;
  organization: string;
  project: string;
  projectKey: string | null;
  personalKey: string | null;
}

/** When backups are made, and where. */
export interface BackupSchedule {
  /** A folder, or `s3://bucket/prefix`. */
  target: string;
  every: 'hourly' | 'daily' | 'weekly';
  /** How many are kept; null: all. */
  keep: number | null;
}

/** Where data is, and how buckets are reached. */
type StorePlaces = Pick<Config, 'dataDir' | 's3' | 'bucketAccess'>;

/** An invalid setting; the message is one sentence that names it. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

/** The oldest that a query result may be. */
export const MAX_STALENESS_SECONDS = 3_600;

type Env = Record<string, string | undefined>;

/** Reads the settings. @throws ConfigError with the name of the invalid setting */
export function loadConfig(env: Env): Config {
  const places = { dataDir: resolve(env.TIDEMARK_DATA || './data'), s3: s3Settings(env), bucketAccess: bucketAccess(env) };
  return Object.freeze({
    port: integer(env, 'PORT', 8000, 0, 65535),
    host: env.HOST || '127.0.0.1',
    roles: roles(env),
    drainSeconds: integer(env, 'TIDEMARK_DRAIN_SECONDS', 0, 0, 300),
    ...places,
    databaseUrl: database(env, 'DATABASE_URL'),
    databaseDirectUrl: directDatabase(env),
    databaseConnections: integer(env, 'TIDEMARK_DATABASE_CONNECTIONS', 16, 1, 1000),
    clickhouseUrl: addresses(env, 'CLICKHOUSE_URL', ['http:', 'https:']),
    clickhouseAuthority: authority(env, 'CLICKHOUSE_CA_FILE', 'CLICKHOUSE_URL'),
    ...clusterSettings(env),
    backup: backupSchedule(places, env.TIDEMARK_BACKUP),
    fsync: toggle(env, 'TIDEMARK_FSYNC', true),
    engineMemory: integer(env, 'TIDEMARK_ENGINE_MEMORY_MB', defaultEngineMemory(), 256, 1_048_576) * MB,
    trustedProxies: proxies(env),
    openSignup: toggle(env, 'TIDEMARK_OPEN_SIGNUP', false),
    geoipFile: env.TIDEMARK_GEOIP ? resolve(env.TIDEMARK_GEOIP) : null,
    fontFolder: folder(env, 'TIDEMARK_FONTS'),
    queueBytes: integer(env, 'TIDEMARK_QUEUE_MB', 128, 1, 65_536) * 1024 * 1024,
    forwardTo: url(env, 'TIDEMARK_FORWARD_TO', ['http:', 'https:']),
    forwardQueueBytes: integer(env, 'TIDEMARK_FORWARD_QUEUE_MB', 64, 1, 65_536) * 1024 * 1024,
    stalenessSeconds: integer(env, 'TIDEMARK_STALENESS_SECONDS', 10, 0, MAX_STALENESS_SECONDS),
    logLevel: choice(env, 'TIDEMARK_LOG_LEVEL', ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], 'info'),
    hsts: env.TIDEMARK_HSTS ? integer(env, 'TIDEMARK_HSTS', 0, 0, 63_072_000) : null,
    rateLimits: rateLimits(env),
    privateWebhooks: toggle(env, 'TIDEMARK_PRIVATE_WEBHOOKS', false),
    selfKey: projectKey(env, 'TIDEMARK_SELF'),
    init: initAccount(env),
  });
}

function integer(env: Env, name: string, fallback: number, min: number, max: number): number {
  const text = env[name];
  if (!text) return fallback;
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= min && value <= max)) {
    throw new ConfigError(`${name} must be a whole number from ${min} to ${max}, not "${text}".`);
  }
  return value;
}

const MB = 1024 * 1024;
const MIN_ENGINE_MEMORY_MB = 1024;

/** A quarter of the memory, in MB: with little, large funnels spill to the disk. Why: docs/decisions/0082-memory-of-the-engine.md */
const defaultEngineMemory = (): number => Math.max(MIN_ENGINE_MEMORY_MB, Math.floor(machineMemory() / 4 / MB));

function toggle(env: Env, name: string, fallback: boolean): boolean {
  return choice(env, name, ['on', 'off'], fallback ? 'on' : 'off') === 'on';
}

function choice<T extends string>(env: Env, name: string, choices: readonly T[], fallback: T): T {
  const text = env[name];
  if (!text) return fallback;
  const found = choices.find((c) => c === text);
  if (!found) throw new ConfigError(`${name} must be one of ${choices.join(', ')}, not "${text}".`);
  return found;
}

function roles(env: Env): Role[] {
  const names = (env.TIDEMARK_ROLES || ROLES.join(',')).split(',').map((name) => name.trim());
  const wrong = names.find((name) => !ROLES.some((role) => role === name));
  if (wrong === undefined) return ROLES.filter((role) => names.includes(role));
  throw new ConfigError(`TIDEMARK_ROLES must be some of ${ROLES.join(', ')}, with commas; "${wrong}" is none of them.`);
}

function rateLimits(env: Env): Config['rateLimits'] {
  const text = env.TIDEMARK_RATE_LIMITS || 'off';
  if (text === 'off' || text === 'on') return text;
  const [, perMinute, perHour] = /^([1-9]\d{0,8})\/([1-9]\d{0,8})$/.exec(text) ?? [];
  if (perMinute && perHour) return { perMinute: Number(perMinute), perHour: Number(perHour) };
  throw new ConfigError(
    `TIDEMARK_RATE_LIMITS must be on, off or <requests per minute>/<requests per hour> such as 480/4800, not "${text}".`,
  );
}

/** An address of one server. */
function url(env: Env, name: string, protocols: string[]): string | null {
  const text = addresses(env, name, protocols);
  if (text && splitAddress(text).length > 1) throw new ConfigError(`${name} must name one server, not several.`);
  return text;
}

/** An address of one server, or of several: `http://a:8123,b:8123/db`. */
function addresses(env: Env, name: string, protocols: string[]): string | null {
  const text = env[name];
  if (!text) return null;
  const servers = splitAddress(text);
  // the value may hold a password, so it is not repeated
  if (servers.length === 0 || !servers.every((server) => protocols.includes(new URL(server).protocol))) {
    throw new ConfigError(
      `${name} must be a URL starting with ${protocols.map((p) => `${p}//`).join(' or ')}, with a comma between the hosts if there are several.`,
    );
  }
  return text;
}

/** What `target_session_attrs` may ask for: all of it leads to the server that accepts writes. */
const WRITABLE = ['any', 'read-write', 'primary'];
const SSL_MODES = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify'];

/** The address of a PostgreSQL database, with the parameters of libpq. */
function database(env: Env, name: string): string | null {
  const text = addresses(env, name, ['postgres:', 'postgresql:']);
  if (!text) return null;
  const params = new URLSearchParams(text.split(/\?(.*)/s)[1]);
  const parameter = (key: string, values: readonly string[]) => {
    const value = params.get(key);
    if (value === null || values.includes(value)) return value;
    throw new ConfigError(`${name}: ${key} must be one of ${values.join(', ')}, not "${value}".`);
  };
  parameter('target_session_attrs', WRITABLE);
  const mode = parameter('sslmode', SSL_MODES);
  const authority = params.get('sslrootcert');
  if (authority === 'system' && mode !== 'verify-full') {
    throw new ConfigError(`${name}: sslrootcert=system needs sslmode=verify-full.`);
  }
  if (mode === 'verify-ca' && !authority) {
    throw new ConfigError(`${name}: sslmode=verify-ca needs sslrootcert, the file of the certificate authority.`);
  }
  for (const key of ['sslrootcert', 'sslcert', 'sslkey']) {
    const path = params.get(key);
    if (path && path !== 'system') readable(name, path, key);
  }
  return text;
}

/** The certificate in the file that a setting names, for the https address of another setting. */
function authority(env: Env, name: string, address: string): Buffer | null {
  const path = env[name];
  if (!path) return null;
  if (!env[address]?.startsWith('https://'))
    throw new ConfigError(`${name} is of no use unless ${address} starts with https://.`);
  const file = readable(name, path);
  if (!file.includes('-----BEGIN CERTIFICATE-----'))
    throw new ConfigError(`${name}: the file ${path} holds no certificate in PEM.`);
  return file;
}

function directDatabase(env: Env): string | null {
  const text = database(env, 'DATABASE_DIRECT_URL');
  if (text && !env.DATABASE_URL) throw new ConfigError('DATABASE_DIRECT_URL is of no use without DATABASE_URL.');
  return text;
}

/** @throws ConfigError if a file cannot be read */
function readable(name: string, path: string, parameter?: string): Buffer {
  try {
    return readFileSync(path);
  } catch {
    throw new ConfigError(`${name}: the file ${path}${parameter ? ` of ${parameter}` : ''} cannot be read.`);
  }
}

function clusterSettings(env: Env): Pick<Config, 'clickhouseCluster' | 'clickhouseQuorum'> {
  const name = env.CLICKHOUSE_CLUSTER || null;
  if (name && !env.CLICKHOUSE_URL) {
    throw new ConfigError('CLICKHOUSE_CLUSTER is of no use without CLICKHOUSE_URL, which names one of its nodes.');
  }
  if (name && !/^[\w.-]{1,64}$/.test(name)) {
    throw new ConfigError('CLICKHOUSE_CLUSTER must be a name in <remote_servers>: 1 to 64 letters, digits, _, . or -.');
  }
  const quorum = env.TIDEMARK_CLICKHOUSE_QUORUM;
  if (quorum && !name) throw new ConfigError('TIDEMARK_CLICKHOUSE_QUORUM is of no use without CLICKHOUSE_CLUSTER.');
  if (quorum === 'auto') return { clickhouseCluster: name, clickhouseQuorum: quorum };
  return { clickhouseCluster: name, clickhouseQuorum: integer(env, 'TIDEMARK_CLICKHOUSE_QUORUM', 0, 0, 16) };
}

function folder(env: Env, name: string): string | null {
  const text = env[name];
  if (!text) return null;
  const path = resolve(text);
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw new ConfigError(`${name}: ${path} is no folder.`);
  return path;
}

function proxies(env: Env): string[] {
  const names = (env.TIDEMARK_TRUSTED_PROXIES || '')
    .split(',')
    .map((s) => s.trim())
    .filter(Boolean);
  const wrong = names.find((name) => !isNetwork(name));
  if (wrong === undefined) return names;
  throw new ConfigError(
    `TIDEMARK_TRUSTED_PROXIES must be addresses or networks such as 127.0.0.1 or 10.0.0.0/8, with commas; "${wrong}" is neither.`,
  );
}

/** `10.0.0.1`, `10.0.0.0/8`, or a network by name as proxy-addr knows it. */
function isNetwork(text: string): boolean {
  const [, address = '', bits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const most = { 4: 32, 6: 128 }[isIP(address)];
  if (most === undefined) return ['loopback', 'linklocal', 'uniquelocal'].includes(text);
  return bits === undefined || (Number(bits) > 0 && Number(bits) <= most);
}

const S3_DETAILS = ['TIDEMARK_S3_ENDPOINT', 'TIDEMARK_S3_REGION', 'TIDEMARK_S3_ACCESS_KEY', 'TIDEMARK_S3_SECRET_KEY'];

function s3Settings(env: Env): S3Settings | null {
  const text = env.TIDEMARK_BLOBS;
  if (text) return bucketOf('TIDEMARK_BLOBS', text, bucketAccess(env));
  const alone = S3_DETAILS.find((name) => env[name]);
  if (alone && !env.TIDEMARK_BACKUP?.startsWith('s3:')) {
    throw new ConfigError(`${alone} is of no use without TIDEMARK_BLOBS or TIDEMARK_BACKUP, which name a bucket.`);
  }
  return null;
}

function bucketOf(name: string, text: string, access: BucketAccess): S3Settings {
  const [, bucket, path = ''] = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])((?:\/[A-Za-z0-9_.-]+)*)\/?$/.exec(text) ?? [];
  if (!bucket) throw new ConfigError(`${name} must be s3://<bucket> or s3://<bucket>/<prefix>.`);
  return { ...access, bucket, prefix: path ? `${path.slice(1)}/` : '' };
}

function bucketAccess(env: Env): BucketAccess {
  const { TIDEMARK_S3_ACCESS_KEY: accessKeyId, TIDEMARK_S3_SECRET_KEY: secretAccessKey } = env;
  if (!accessKeyId !== !secretAccessKey) {
    throw new ConfigError('TIDEMARK_S3_ACCESS_KEY and TIDEMARK_S3_SECRET_KEY must be set together.');
  }
  return {
    region: env.TIDEMARK_S3_REGION || 'us-east-1',
    endpoint: url(env, 'TIDEMARK_S3_ENDPOINT', ['http:', 'https:']),
    keys: accessKeyId && secretAccessKey ? { accessKeyId, secretAccessKey } : null,
  };
}

/** The folder of backups that a text names, apart from what is backed up. @throws ConfigError */
export function parseBackupPlace({ bucketAccess, dataDir, s3 }: StorePlaces, text: string): FolderPlace {
  const place = text.startsWith('s3:') ? { s3: bucketOf('The folder of backups', text, bucketAccess) } : { path: resolve(text) };
  const own = s3 && overlap(place, { s3 }) ? 'TIDEMARK_BLOBS' : overlap(place, { path: dataDir }) ? 'TIDEMARK_DATA' : null;
  if (own === null) return place;
  throw new ConfigError(`The folder of backups ${text} and that of ${own} must not be in each other: name one of its own.`);
}

function backupSchedule(places: StorePlaces, text: string | undefined): BackupSchedule | null {
  if (!text) return null;
  const [, target, every, keep] = /^(.*\S)\s+(hourly|daily|weekly)(?:\s+keep\s+([1-9]\d{0,3}))?\s*$/.exec(text) ?? [];
  if (!target || !(every === 'hourly' || every === 'daily' || every === 'weekly')) {
    throw new ConfigError(
      `TIDEMARK_BACKUP must be a folder or s3://<bucket>/<prefix>, hourly, daily or weekly, and keep <number> if older ones are to be deleted, such as "s3://bucket/prefix daily keep 7", not "${text}".`,
    );
  }
  const place = parseBackupPlace(places, target);
  return { target: 'path' in place ? place.path : target, every, keep: keep ? Number(keep) : null };
}

function projectKey(env: Env, name: string): string | null {
  const text = env[name];
  if (!text) return null;
  if (!/^[\x21-\x7e]{1,64}$/.test(text)) throw new ConfigError(`${name} must be 1 to 64 visible ASCII characters.`);
  return text;
}

function initAccount(env: Env): InitAccount | null {
  const email = env.TIDEMARK_INIT_EMAIL;
  const password = env.TIDEMARK_INIT_PASSWORD;
  if (!email && !password) return null;
  if (!email?.includes('@'))
    throw new ConfigError('TIDEMARK_INIT_EMAIL must be an e-mail address when TIDEMARK_INIT_PASSWORD is set.');
  if (!password || password.length < 8) throw new ConfigError('TIDEMARK_INIT_PASSWORD must have at least 8 characters.');
  if (/^<[^<>]*>$/.test(password))
    throw new ConfigError('TIDEMARK_INIT_PASSWORD is the placeholder of an example: choose a password.');
  const personalKey = env.TIDEMARK_INIT_PERSONAL_KEY || null;
  if (personalKey && !/^tms_[\w-]{32,}$/.test(personalKey)) {
    throw new ConfigError('TIDEMARK_INIT_PERSONAL_KEY must be tms_ and at least 32 letters, digits, - or _.');
  }
  return {
    email,
    password,
    organization: env.TIDEMARK_INIT_ORGANIZATION || 'My organization',
    project: env.TIDEMARK_INIT_PROJECT || 'Default project',
    projectKey: projectKey(env, 'TIDEMARK_INIT_PROJECT_KEY'),
    personalKey,
  };
}
