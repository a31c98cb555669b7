import { expect, test } from 'vitest';
import { ConfigError, loadConfig } from './config.js';
import { machineMemory } from './machine-memory.js';

const GB = 1024 ** 3;

test('the event engine may use a quarter of the memory, and a gigabyte at least', () => {
  const { engineMemory } = loadConfig({});
  expect(engineMemory).toBeGreaterThanOrEqual(GB);
  expect(Math.abs(engineMemory - Math.max(GB, machineMemory() / 4))).toBeLessThan(1024 ** 2);
  expect(loadConfig({ TIDEMARK_ENGINE_MEMORY_MB: '512' }).engineMemory).toBe(GB / 2);
});

test.each<[string, Record<string, string>, RegExp]>([
  ['a switch that is no switch', { TIDEMARK_FSYNC: 'yes' }, /^TIDEMARK_FSYNC must be one of on, off, not "yes"\.$/],
  [
    'several databases, one without a name',
    { DATABASE_URL: 'postgres://app:secret@db1:5432,,db2/x' },
    /^DATABASE_URL must be a URL starting with postgres:\/\/ or postgresql:\/\/, with a comma between the hosts if there are several\.$/,
  ],
  [
    'a mode of encryption that there is not',
    { DATABASE_URL: 'postgres://app:secret@db1,db2/x?sslmode=whatever' },
    /^DATABASE_URL: sslmode must be one of disable, prefer, require, verify-ca, verify-full, no-verify, not "whatever"\.$/,
  ],
  [
    'a standby',
    { DATABASE_URL: 'postgres://app:secret@db1,db2/x?target_session_attrs=standby' },
    /^DATABASE_URL: target_session_attrs must be one of any, read-write, primary, not "standby"\.$/,
  ],
  [
    'several buckets',
    { TIDEMARK_BLOBS: 's3://x-y', TIDEMARK_S3_ENDPOINT: 'http://a,b' },
    /^TIDEMARK_S3_ENDPOINT must name one server/,
  ],
  ['several event stores', { CLICKHOUSE_URL: 'http://app:secret@ch1:8123,:8123/x' }, /^CLICKHOUSE_URL must be a URL/],
  ['a cluster of nothing', { CLICKHOUSE_CLUSTER: 'events' }, /^CLICKHOUSE_CLUSTER is of no use without CLICKHOUSE_URL/],
  [
    'a quorum of one server',
    { CLICKHOUSE_URL: 'http://ch1/x', TIDEMARK_CLICKHOUSE_QUORUM: 'auto' },
    /^TIDEMARK_CLICKHOUSE_QUORUM is of no use without CLICKHOUSE_CLUSTER\.$/,
  ],
  ['an authority for nothing', { CLICKHOUSE_CA_FILE: '/etc/ca.pem' }, /^CLICKHOUSE_CA_FILE is of no use unless/],
  [
    'an authority that is not there',
    { CLICKHOUSE_URL: 'https://ch1/x', CLICKHOUSE_CA_FILE: '/nowhere.pem' },
    /^CLICKHOUSE_CA_FILE: the file \/nowhere\.pem cannot be read\.$/,
  ],
  ['half an account', { TIDEMARK_INIT_EMAIL: 'a@b.co' }, /^TIDEMARK_INIT_PASSWORD must have at least 8 characters\.$/],
  ['a number in other clothes', { PORT: ' ' }, /^PORT must be a whole number from 0 to 65535, not " "\.$/],
  [
    'a proxy without an address',
    { TIDEMARK_TRUSTED_PROXIES: '127.0.0.1, proxy' },
    /^TIDEMARK_TRUSTED_PROXIES .*"proxy" is neither\.$/,
  ],
  [
    'a network too narrow',
    { TIDEMARK_TRUSTED_PROXIES: '10.0.0.0/33' },
    /^TIDEMARK_TRUSTED_PROXIES .*"10\.0\.0\.0\/33" is neither\.$/,
  ],
  ['a folder that is not there', { TIDEMARK_FONTS: '/nowhere' }, /^TIDEMARK_FONTS: \/nowhere is no folder\.$/],
  ['keys for no bucket', { TIDEMARK_S3_SECRET_KEY: 'secret' }, /^TIDEMARK_S3_SECRET_KEY is of no use without TIDEMARK_BLOBS/],
])('%s is refused in one sentence, without what is secret', (_name, env, sentence) => {
  const refused = expect.objectContaining({ message: expect.stringMatching(sentence) });
  expect(() => loadConfig(env)).toThrow(refused);
  expect(() => loadConfig(env)).toThrow(ConfigError);
  expect(() => loadConfig(env)).not.toThrow(/secret/);
});
