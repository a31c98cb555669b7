import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { Deps } from '../deps.js';
import type { Scope } from '../kernel/rights.js';
import type { ResponseInfo } from './openapi/operation.js';

export type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';

/** The context of every handler; the guards of `auth` add the caller, and the organization or project of the path. */
export interface RequestContext {
  deps: Deps;
  request: FastifyRequest;
  reply: FastifyReply;
}

type Output<S> = S extends z.ZodType ? z.output<S> : unknown;
type Parsed<Q> = { query: Output<Q>; params: Record<string, string> };

/**
 * One row of a module's table of routes. A request goes through guard, query, load, body, handle and response, in this order: the
 * parameters of strangers are not looked at, and a missing object is a 404 whatever the body is.
 */
export interface Route<Ctx, Q extends z.ZodObject | undefined, B extends z.ZodType | undefined, Loaded> {
  method: Method;
  /** Below the prefix, starting with `/`, ending with `/`. */
  path: string;
  /** What a personal key needs; `session`: keys are not admitted; `any`: every key is; null: no credentials needed. */
  scope: Scope | 'session' | 'any' | null;
  summary: string;
  /** What the API's description says beyond the summary; Markdown. */
  description?: string;
  /** The parameters of the path, for the API's description. */
  params?: Record<string, z.ZodType>;
  query?: Q;
  body?: B;
  /** The schema of a body that the handler reads itself, for the API's description. */
  describedBody?: z.ZodType;
  /** Of a success. The handler itself sends 302 and 405. */
  status: 200 | 201 | 202 | 204 | 302 | 405;
  response?: z.ZodType;
  /** Of a response that the handler sends itself, when it is not JSON. */
  mediaType?: string;
  /** Of the other form of the response, which the handler sends itself when the query asks for it. */
  otherMediaType?: string;
  /** Statuses of errors beyond those that follow from credentials, parameters, query and body. */
  errors?: readonly number[];
  /** Responses that the handler sends itself, by status, such as errors with a body of their own. */
  responses?: Record<number, ResponseInfo>;
  /**
   * Of a GET of a project: whether the response depends on metadata alone (see ports/changes.ts). The same caller then gets it from
   * the response cache until metadata changes.
   */
  cacheable?(query: Output<Q>): boolean;
  /** Finds the object (404) and checks the caller's rights on it (403), before the body is parsed. */
  load?(context: Ctx & Parsed<Q>): Promise<Loaded>;
  /** Makes the response, which is sent as JSON unless the handler has sent one itself. */
  handle(context: Ctx & Parsed<Q> & { body: Output<B>; loaded: Loaded }): Promise<unknown>;
}

/**
 * A row of any types, as tables list it. The functions of {@link Route} are declared as methods, whose parameters TypeScript compares in
 * both directions, so that every row that {@link routeFor} has checked is one.
 */
export type AnyRoute<Ctx> = Route<Ctx, z.ZodObject | undefined, z.ZodType | undefined, unknown>;

/** Makes one row of a table: TypeScript infers the types of its columns from each other. */
export const routeFor =
  <Ctx extends RequestContext>() =>
  <Q extends z.ZodObject | undefined = undefined, B extends z.ZodType | undefined = undefined, Loaded = undefined>(
    route: Route<Ctx, Q, B, Loaded>,
  ): AnyRoute<Ctx> =>
    route;

/** The PATCH and the PUT row of an update, each with its summary. */
export type UpdateRoute<Ctx, Q extends z.ZodObject | undefined, B extends z.ZodType | undefined, Loaded> = Omit<
  Route<Ctx, Q, B, Loaded>,
  'method' | 'summary'
> & { summary: Record<'PATCH' | 'PUT', string> };

/** Makes both rows of an update. They do the same: a PUT leaves fields alone that its body does not have. */
export const updateRoutesFor =
  <Ctx extends RequestContext>() =>
  <Q extends z.ZodObject | undefined = undefined, B extends z.ZodType | undefined = undefined, Loaded = undefined>({
    summary,
    ...row
  }: UpdateRoute<Ctx, Q, B, Loaded>): AnyRoute<Ctx>[] =>
    (['PATCH', 'PUT'] as const).map((method) => ({ ...row, method, summary: summary[method] }));

/** Who may call: turns a request into the context of the handlers. @throws ApiError with status 401, 403 or 404 */
export type Guard<Ctx> = (context: RequestContext, route: Pick<AnyRoute<Ctx>, 'scope' | 'path'>) => Promise<Ctx>;
