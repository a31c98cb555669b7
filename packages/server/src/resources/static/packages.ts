import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { origin } from '../../http/origin.js';
import { ApiError } from '../../kernel/errors.js';
import { PACKAGE_FOLDER } from '../../kernel/package-folder.js';
import { type Packed, readPackages, readStored, storePackages } from './stored-packages.js';

/** Directory of the packed client libraries, which a build with types writes. */
const PACKED = fileURLToPath(new URL('dist/packages', PACKAGE_FOLDER));

const NOT_PACKED =
  'This service has no such package. The packages of the client libraries are there after `npm run build`, and in the npm package tidemark and its images.';

interface PackagesOptions {
  /** Folder of this version's packages. */
  packed?: string;
  /** Folder where the packages of each version that ran are stored. */
  stored: string;
  log: Pick<Logger, 'warn'>;
}

/**
 * Serves the client libraries as an npm registry of the scope `@tidemark` at `/static/packages/`: what a registry says about a package,
 * its tarball, and a list of all packages. The addresses of tarballs are those under which the caller reaches the service. Earlier versions that ran on the same
 * data directory are served, too.
 */
export function registerPackages(app: FastifyInstance, { packed = PACKED, stored, log }: PackagesOptions): void {
  let read: Promise<Packed[]> | undefined;
  const all = () => {
    read ??= readAll();
    // an error must not stay cached: the next read may succeed
    read.catch(() => {
      read = undefined;
    });
    return read;
  };

  async function readAll(): Promise<Packed[]> {
    const own = await readPackages(packed);
    const earlier = await readStored(stored, (folder, error) =>
      log.warn({ folder, err: error }, 'stored packages cannot be read'),
    );
    // this version's own files count, also where an earlier build of it was stored
    return [...own, ...earlier.filter(({ version }) => !own.some((one) => one.version === version))];
  }

  let storing = Promise.resolve();
  app.addHook('onListen', async () => {
    storing = storePackages(packed, stored).catch((error) =>
      log.warn({ err: error }, 'the packages of this version were not stored'),
    );
  });
  app.addHook('onClose', () => storing);
  app.get('/static/packages', async (request) => {
    const address = `${origin(request)}/static/packages/`;
    const names = [...new Set((await all()).map(({ name }) => name))];
    return { packages: await Promise.all(names.map((name) => describe(name, address))) };
  });
  app.get('/static/packages/:name', async (request, reply) => {
    const { name = '' } = request.params as { name?: string };
    const file = (await all()).find(({ dist }) => dist.tarball === name);
    if (!file) return describe(name, `${origin(request)}/static/packages/`);
    return reply
      .type('application/octet-stream')
      .header('cache-control', 'public, max-age=300')
      .send(await readFile(join(file.folder, file.dist.tarball)));
  });
  // installers write the name of a scoped package with %2f; people write it with a slash
  app.get('/static/packages/:scope/:name', async (request) => {
    const { scope = '', name = '' } = request.params as { scope?: string; name?: string };
    return describe(`${scope}/${name}`, `${origin(request)}/static/packages/`);
  });

  async function describe(name: string, address: string) {
    const versions = (await all()).filter((one) => one.name === name);
    const [latest] = versions;
    if (!latest) throw new ApiError('not_found', NOT_PACKED);
    return {
      name,
      // the version of the running service
      'dist-tags': { latest: latest.version },
      versions: Object.fromEntries(
        versions.map(({ folder: _, dist, ...fields }) => [
          fields.version,
          { ...fields, dist: { ...dist, tarball: `${address}${dist.tarball}` } },
        ]),
      ),
    };
  }
}
