import type { FastifyInstance } from 'fastify';
import { mountPublicRoutes } from '../../auth/index.js';
import type { Deps } from '../../deps.js';
import { describeApiInSlices } from './describe-api.js';
import { type File, toFile } from './files.js';
import { mountPage, schemaRoutes } from './routes.js';

export { describeApi } from './describe-api.js';

/** The description of the API: `/api/schema/` as an OpenAPI document, `/api/schema/ui/` as a page. */
export function registerSchema(app: FastifyInstance, deps: Deps, version: string): void {
  let file: Promise<File> | undefined;
  // built on the first request, when all routes are mounted
  const documentFile = () => {
    file ??= describeApiInSlices(app, version, deps.scheduler).then((document) =>
      toFile('application/json; charset=utf-8', Buffer.from(JSON.stringify(document))),
    );
    return file;
  };
  mountPublicRoutes(app, deps, '/api/schema', schemaRoutes(documentFile));
  mountPage(app);
}
