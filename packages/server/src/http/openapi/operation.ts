import type { FastifyInstance } from 'fastify';
import type { z } from 'zod';
import type { Scope } from '../../kernel/rights.js';

/** Scope that a personal API key needs. `session`: only login sessions; `any`: any key; null: no credentials needed. */
export type Access = Scope | 'session' | 'any' | null;

/** One response of an operation. */
export interface ResponseInfo {
  /** By default the description of the schema or of the status. */
  description?: string;
  /** Null: no body. Absent: not described yet. */
  schema?: z.ZodType | null;
  /** `application/json` by default. */
  mediaType?: string;
  /** Content type of the alternative format that a query parameter selects. */
  otherMediaType?: string;
}

/** An operation (a method on a path) of the OpenAPI document. */
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
  /** Statuses of errors that do not follow from the other fields. */
  errorStatuses: readonly number[];
}

/** Registers an operation of `app`. With the same `key` again, it adds a path to the operation. */
export function registerOperation(app: FastifyInstance, key: object, operation: Operation): void {
  const registered = app.apiOperations.get(key);
  if (registered) registered.urls.push(...operation.urls);
  else app.apiOperations.set(key, { ...operation, urls: [...operation.urls] });
}

/** Registers operations of routes outside of route tables. */
export function registerOperations(app: FastifyInstance, operations: readonly Operation[]): void {
  for (const operation of operations) registerOperation(app, operation, operation);
}

/** The operations of `app`, in the order in which they were registered. */
export const operationsOf = (app: FastifyInstance): Operation[] => [...app.apiOperations.values()];
