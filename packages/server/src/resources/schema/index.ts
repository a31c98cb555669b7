import type { FastifyInstance } from 'fastify';
import { mountPublicRoutes } from '../../auth/index.js';
import type { Deps } from '../../deps.js';
import { describeApiInSteps } from './describe-api.js';
import { type File, toFile } from './files.js';
import { mountPage, schemaRoutes } from './routes.js';

export { describeApi } from './describe-api.js';

/** What the API says about itself: `/api/schema/` for programs, `/api/schema/ui/` for people. */
export function registerSchema(app: FastifyInstance, deps: Deps, version: string): void {
  let file: Promise<File> | undefined;
  // made when first asked for: by then every room is mounted
  const document = () => {
    file ??= describeApiInSteps(app, version).then((made) =>
      toFile('application/json; charset=utf-8', Buffer.from(JSON.stringify(made))),
    );
    return file;
  };
  mountPublicRoutes(app, deps, '/api/schema', schemaRoutes(document));
  mountPage(app);
}
