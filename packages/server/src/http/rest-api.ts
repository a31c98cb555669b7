import fastifyCookie from '@fastify/cookie';
import type { FastifyInstance } from 'fastify';
import type { Scheduler } from '../ports/system.js';
import { keepBodiesRaw } from './body.js';
import { installErrorHandler } from './error-handler.js';
import { type ApiPath, installNotFoundHandler } from './not-found.js';
import type { Operation } from './openapi/operation.js';

declare module 'fastify' {
  interface FastifyInstance {
    /** The paths of the mounted route tables. */
    apiPaths: ApiPath[];
    /** The operations of the API's description, by their rows in the route tables. */
    apiOperations: Map<object, Operation>;
  }
}

/** Prepares an application for the route tables of the REST API: cookies, bodies, errors, and paths without a route. */
export function installRestApi(app: FastifyInstance, scheduler: Scheduler): void {
  app.decorate('apiPaths', []);
  app.decorate('apiOperations', new Map<object, Operation>());
  app.register(fastifyCookie);
  keepBodiesRaw(app, scheduler);
  installErrorHandler(app);
  installNotFoundHandler(app);
}
