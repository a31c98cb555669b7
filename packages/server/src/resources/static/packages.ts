import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { origin } from '../../http/origin.js';
import { ApiError } from '../../kernel/errors.js';
import { PACKAGE_FOLDER } from '../../kernel/package-folder.js';

/** Directory of the packed client libraries, which a build with types writes. */
const PACKED = fileURLToPath(new URL('dist/packages', PACKAGE_FOLDER));

/** What the build writes about each tarball: the fields of its package.json that installers need, and its checksums. */
const packedSchema = z.array(
  z.looseObject({
    name: z.string(),
    version: z.string(),
    dist: z.looseObject({ tarball: z.string().regex(/^[\w.-]+\.tgz$/) }),
  }),
);

const NOT_PACKED =
  'This service has no such package. The packages of the client libraries are there after `npm run build`, and in the npm package tidemark and its images.';

/**
 * Serves the client libraries as an npm registry of the scope `@tidemark` at `/static/packages/`: what a registry says about a package,
 * and its tarball. The addresses of tarballs are those under which the caller reaches the service.
 */
export function registerPackages(app: FastifyInstance, directory = PACKED): void {
  let packed: ReturnType<typeof readPacked> | undefined;
  const all = () => {
    packed ??= readPacked(directory);
    return packed;
  };

  app.get('/static/packages/:name', async (request, reply) => {
    const { name = '' } = request.params as { name?: string };
    const file = (await all()).find(({ dist }) => dist.tarball === name);
    if (!file) return describe(name, `${origin(request)}/static/packages/`);
    return reply
      .type('application/octet-stream')
      .header('cache-control', 'public, max-age=300')
      .send(await readFile(join(directory, file.dist.tarball)));
  });
  // installers write the name of a scoped package with %2f; people write it with a slash
  app.get('/static/packages/:scope/:name', async (request) => {
    const { scope = '', name = '' } = request.params as { scope?: string; name?: string };
    return describe(`${scope}/${name}`, `${origin(request)}/static/packages/`);
  });

  async function describe(name: string, address: string) {
    const versions = (await all()).filter((one) => one.name === name);
    const latest = versions.at(-1);
    if (!latest) throw new ApiError('not_found', NOT_PACKED);
    return {
      name,
      'dist-tags': { latest: latest.version },
      versions: Object.fromEntries(
        versions.map((one) => [one.version, { ...one, dist: { ...one.dist, tarball: `${address}${one.dist.tarball}` } }]),
      ),
    };
  }
}

/** None when they were not built. */
async function readPacked(directory: string): Promise<z.output<typeof packedSchema>> {
  const text = await readFile(join(directory, 'index.json'), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '[]';
    throw error;
  });
  return packedSchema.parse(JSON.parse(text));
}
