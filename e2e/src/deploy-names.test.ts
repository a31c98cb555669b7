import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';

/*
 * What the files of deploy/ name: variables that somebody sets, settings that the service reads, and parts that are in the same files.
 */

const deploy = fileURLToPath(new URL('../../deploy', import.meta.url));
const read = (path: string) => readFile(join(deploy, path), 'utf8');
const missing = (wanted: Iterable<string>, there: Iterable<string>) => {
  const has = new Set(there);
  return [...wanted].filter((name) => !has.has(name));
};
const config = await readFile(new URL('../../packages/server/src/config.ts', import.meta.url), 'utf8');
const settings = config.match(/\b[A-Z][A-Z0-9_]{3,}\b/g) ?? [];

interface Compose {
  services: Record<string, { environment?: Record<string, string>; volumes?: string[] }>;
}

test.each(['compose.yaml', 'compose.tls.yaml'])('.env.example has each variable that cluster/%s needs', async (file) => {
  const needed = [...(await read(`cluster/${file}`)).matchAll(/\$\{(\w+):\?/g)].map(([, name = '']) => name);
  const example = [...(await read('cluster/.env.example')).matchAll(/^(\w+)=/gm)].map(([, name = '']) => name);
  expect(needed.length).toBeGreaterThan(0);
  expect(missing(needed, example)).toEqual([]);
});

test('each node gets the variables that its own files read', async () => {
  const { services }: Compose = parse(await read('cluster/compose.yaml'), { merge: true });
  const mounted = Object.entries(services).flatMap(([name, { volumes = [], environment = {} }]) =>
    volumes.filter((volume) => /^\.\/clickhouse\/.*\.xml:/.test(volume)).map((volume) => ({ name, volume, environment })),
  );
  // four nodes with two files, three of Keeper with one
  expect(mounted).toHaveLength(11);
  for (const { name, volume, environment } of mounted) {
    const text = await read(join('cluster', volume.split(':')[0] ?? ''));
    const wanted = [...text.matchAll(/from_env="(\w+)"/g)].map(([, variable = '']) => variable);
    expect(missing(wanted, Object.keys(environment)), `${name}: ${volume}`).toEqual([]);
  }
});

interface Container {
  env?: { name: string }[];
  envFrom?: { configMapRef?: { name: string } }[];
  ports?: { name: string }[];
}
interface Manifest {
  kind: string;
  metadata: { name: string; namespace: string };
  spec?: {
    selector?: Record<string, unknown>;
    template?: { metadata: { labels: Record<string, string> }; spec: { containers: Container[] } };
    ports?: { targetPort: string }[];
    scaleTargetRef?: { name: string };
  };
}

test('the manifests of Kubernetes name settings that there are, and parts of the same file', async () => {
  const files = await readdir(join(deploy, 'kubernetes'));
  for (const file of files) {
    const text = await read(`kubernetes/${file}`);
    const all: Manifest[] = parseAllDocuments(text).map((document) => document.toJS());
    const named = (kind: string) => all.filter((one) => one.kind === kind).map(({ metadata }) => metadata.name);
    const pods = all.flatMap(({ spec }) => spec?.template ?? []);
    const containers = pods.flatMap(({ spec }) => spec.containers);
    expect(containers.length).toBeGreaterThan(0);
    expect(
      missing(
        containers.flatMap(({ env = [] }) => env.map(({ name }) => name)),
        settings,
      ),
    ).toEqual([]);
    const maps = containers.flatMap(({ envFrom = [] }) => envFrom.flatMap(({ configMapRef }) => configMapRef?.name ?? []));
    expect(missing(maps, named('ConfigMap'))).toEqual([]);
    const backends = JSON.stringify(all.filter(({ kind }) => kind === 'Ingress')).matchAll(/"service":\{"name":"([^"]+)"/g);
    expect(
      missing(
        [...backends].map(([, name = '']) => name),
        named('Service'),
      ),
    ).toEqual([]);
    expect(
      missing(
        all.flatMap(({ spec }) => spec?.scaleTargetRef?.name ?? []),
        named('Deployment'),
      ),
    ).toEqual([]);
    for (const { kind, metadata, spec } of all.filter((one) => one.kind === 'Service')) {
      const chosen = pods.filter(({ metadata: { labels } }) =>
        Object.entries(spec?.selector ?? {}).every(([label, value]) => labels[label] === value),
      );
      expect(chosen, `${kind} ${metadata.name}`).toHaveLength(1);
      const open = chosen.flatMap((pod) => pod.spec.containers.flatMap(({ ports = [] }) => ports.map(({ name }) => name)));
      expect(missing(spec?.ports?.map(({ targetPort }) => targetPort) ?? [], open)).toEqual([]);
    }
  }
});

test('the unit of systemd names settings that there are', async () => {
  const unit = await read('systemd/tidemark.service');
  const names = [...unit.matchAll(/^Environment=(\w+)=/gm), ...unit.matchAll(/\b(TIDEMARK_\w+)=/g)].map(([, name = '']) => name);
  expect(names.length).toBeGreaterThan(0);
  // TMPDIR is of the operating system
  expect(missing(names, [...settings, 'TMPDIR'])).toEqual([]);
});
