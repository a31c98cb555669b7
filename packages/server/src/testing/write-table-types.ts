import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { pino } from 'pino';
import { openPostgres } from '../adapters/postgres/index.js';
import { createScheduler } from '../adapters/system/index.js';
import { loadConfig } from '../config.js';

// Derives ports/db-schema.gen.ts from a migrated database; `--check` fails when the file says something else.
const target = fileURLToPath(new URL('../ports/db-schema.gen.ts', import.meta.url));
const dataDir = await mkdtemp(join(tmpdir(), 'tidemark-types-'));
const draft = join(dataDir, 'db-schema.gen.ts');
const postgres = await openPostgres(
  loadConfig({ TIDEMARK_DATA: dataDir, TIDEMARK_FSYNC: 'off' }),
  pino({ level: 'warn' }),
  createScheduler(),
);
try {
  const require = createRequire(import.meta.url);
  const cli = require.resolve('kysely-codegen/dist/cli/bin.js');
  const source = ['--url', postgres.url, '--dialect', 'postgres', '--exclude-pattern', 'schema_migrations'];
  await promisify(execFile)(process.execPath, [cli, ...source, '--type-mapping', '{"int8":"number"}', '--out-file', draft]);
  if (!process.argv.includes('--check')) await copyFile(draft, target);
  else if ((await readFile(draft, 'utf8')) !== (await readFile(target, 'utf8'))) {
    console.error('ports/db-schema.gen.ts differs from what the migrations make: run node scripts/db-types.mjs');
    process.exitCode = 1;
  }
} finally {
  await postgres.close();
  await rm(dataDir, { recursive: true, force: true });
}
