import type { FastifyInstance } from 'fastify';
import { mountPublicRoutes } from '../../auth/index.js';
import type { Deps } from '../../deps.js';
import type { JsonObject } from '../../kernel/json.js';
import { describeApiInSlices } from './describe-api.js';
import { type File, toFile } from './files.js';
import { mountReference, schemaRoutes } from './routes.js';

export { describeApi } from './describe-api.js';

/** The description of the API: `/api/schema/` as an OpenAPI document, `/api/schema/ui/` as pages. */
export function registerSchema(app: FastifyInstance, deps: Deps, version: string): void {
  let document: Promise<JsonObject> | undefined;
  let file: Promise<File> | undefined;
  // built on the first request, when all routes are mounted
  const describe = () => (document ??= describeApiInSlices(app, version, deps.scheduler));
  const documentFile = () => {
    file ??= describe().then((described) => toFile('application/json; charset=utf-8', Buffer.from(JSON.stringify(described))));
    return file;
  };
  mountPublicRoutes(app, deps, '/api/schema', schemaRoutes(documentFile));
  mountReference(app, describe);
}
