import type { FastifyInstance } from 'fastify';
import type { z } from 'zod';
import type { Scope } from '../../kernel/scopes.js';

/** What a personal key needs; `session`: never open to keys; `any`: any key; null: no credentials needed. */
export type Access = Scope | 'session' | 'any' | null;

/** One answer, told with its body. */
export interface ResponseInfo {
  /** What the schema or the status says by default. */
  description?: string;
  /** Null: no body. Absent: not described yet. */
  schema?: z.ZodType | null;
  /** `application/json` by default. */
  mediaType?: string;
  /** Of the form that the same answer has when it is asked for otherwise. */
  otherMediaType?: string;
}

/** A method on a path, as the API's description tells it. */
export interface Operation {
  method: string;
  /** The same operation under every prefix; patterns of the router such as `/api/projects/:project_id/`. */
  urls: string[];
  access: Access;
  summary: string;
  description?: string | undefined;
  /** Parameters of the path. */
  params?: Record<string, z.ZodType> | undefined;
  query?: z.ZodType | undefined;
  body?: z.ZodType | undefined;
  /** `application/json` by default. */
  bodyType?: string | undefined;
  responses: Record<number, ResponseInfo>;
  /** Statuses of refusals that the rest does not tell. */
  errorStatuses: readonly number[];
}

const noted = new WeakMap<object, Map<object, Operation>>();

/** Adds an operation to the description of `app`. The same `key` again is the same operation under one more address. */
export function registerOperation(app: FastifyInstance, key: object, operation: Operation): void {
  const operations = noted.get(app.server) ?? new Map<object, Operation>();
  noted.set(app.server, operations);
  const known = operations.get(key);
  if (known) known.urls.push(...operation.urls);
  else operations.set(key, { ...operation, urls: [...operation.urls] });
}

/** Adds operations whose routes are in no table. */
export function registerOperations(app: FastifyInstance, operations: readonly Operation[]): void {
  for (const operation of operations) registerOperation(app, operation, operation);
}

/** What was noted of `app`, in the order of mounting. */
export const operationsOf = (app: FastifyInstance): Operation[] => [...(noted.get(app.server)?.values() ?? [])];
