import { copyFile, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

/** What the build writes about each tarball: the fields of its package.json that installers need, and its checksums. */
const indexSchema = z.array(
  z.looseObject({
    name: z.string(),
    version: z.string().regex(/^\d[\w.+-]*$/),
    dist: z.looseObject({ tarball: z.string().regex(/^[\w.-]+\.tgz$/) }),
  }),
);

/** A package of one version, with the folder of its tarball. */
export type Packed = z.output<typeof indexSchema>[number] & { folder: string };

/** The packages of a folder; none when it has no index. @throws Error when the index cannot be read */
export async function readPackages(folder: string): Promise<Packed[]> {
  const text = await readFile(join(folder, 'index.json'), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '[]';
    throw error;
  });
  return indexSchema.parse(JSON.parse(text)).map((one) => ({ ...one, folder }));
}

/**
 * Copies the packages of a folder into `<stored>/<version>`, so that later versions of the service can serve them: lock files of
 * applications name them. What is there of the same version is replaced if it differs or lacks a file; otherwise nothing is written.
 */
export async function storePackages(folder: string, stored: string): Promise<void> {
  const [first, ...others] = await readPackages(folder);
  if (!first) return;
  const target = join(stored, first.version);
  const index = await readFile(join(folder, 'index.json'), 'utf8');
  const isSame = (await readFile(join(target, 'index.json'), 'utf8').catch(() => '')) === index;
  const there = isSame ? await readdir(target) : [];
  if (isSame && [first, ...others].every(({ dist }) => there.includes(dist.tarball))) return;
  await mkdir(stored, { recursive: true });
  // a crash in the middle leaves a folder that nobody reads
  const half = await mkdtemp(join(stored, '.new-'));
  try {
    for (const { dist } of [first, ...others]) await copyFile(join(folder, dist.tarball), join(half, dist.tarball));
    await writeFile(join(half, 'index.json'), index);
    await rm(target, { recursive: true, force: true });
    await rename(half, target);
  } finally {
    await rm(half, { recursive: true, force: true });
  }
}

/** The packages of all versions in `stored`, the newest first. @param failed is called for a folder that cannot be read */
export async function readStored(stored: string, failed: (folder: string, error: unknown) => void): Promise<Packed[]> {
  const names = await readdir(stored).catch(() => []);
  const versions = names
    .filter((name) => !name.startsWith('.'))
    .sort((a, b) => b.localeCompare(a, 'en', { numeric: true }))
    .map((name) => join(stored, name));
  const all = await Promise.all(
    versions.map((folder) =>
      readPackages(folder).catch((error) => {
        failed(folder, error);
        return [];
      }),
    ),
  );
  return all.flat();
}
