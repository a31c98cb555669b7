import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { Deps } from '../deps.js';
import { ApiError } from '../kernel/errors.js';
import type { Scope } from '../kernel/scopes.js';
import { type Concerned, subjectsOf } from './answers.js';
import { readBody } from './body.js';
import { allowAllOrigins, registerPath, setAllowHeader } from './not-found.js';
import { type ResponseInfo, registerOperation } from './openapi/operation.js';
import { validateQuery } from './query-values.js';
import { rejectUnknownFields, rejectUnknownParameters } from './unknown-fields.js';
import { validate } from './validate.js';

export type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';

/** What every handler is given; the guards of `identity` add who asks and for what. */
export interface RequestContext {
  deps: Deps;
  request: FastifyRequest;
  reply: FastifyReply;
}

/** What guards add for answers that are kept. */
interface Kept extends Concerned {
  /** Lets the same caller in again. @throws ApiError throttled */
  recheckRateLimit?: (request: FastifyRequest) => Promise<void>;
}

type Output<S> = S extends z.ZodType ? z.output<S> : unknown;
type Parsed<Q> = { query: Output<Q>; params: Record<string, string> };

/** One row of a room's table of routes. Steps in this order: guard, query, load, body, handle, respond. */
export interface Route<Ctx, Q extends z.ZodObject | undefined, B extends z.ZodType | undefined, Loaded> {
  method: Method;
  /** Below the prefix, starting with `/`, ending with `/`. */
  path: string;
  /** What a personal key needs; `session`: never open to keys; `any`: any key; null: no credentials needed. */
  scope: Scope | 'session' | 'any' | null;
  summary: string;
  /** What the API's description says beyond the summary; Markdown. */
  description?: string;
  /** The parameters of the path, for the API's description. */
  params?: Record<string, z.ZodType>;
  query?: Q;
  body?: B;
  /** A body that the handler reads itself, for the API's description. */
  describedBody?: z.ZodType;
  /** 302 and 405 are sent by the handler. */
  status: 200 | 201 | 202 | 204 | 302 | 405;
  response?: z.ZodType;
  /** Of an answer that the handler sends itself, when it is not JSON. */
  mediaType?: string;
  /** Of an answer of another form that the handler sends itself when the query asks for it. */
  otherMediaType?: string;
  /** Statuses of refusals beyond those that follow from credentials, parameters, query and body. */
  errors?: readonly number[];
  /** Answers that the handler sends itself, by status: refusals whose body is not that of the others. */
  responses?: Record<number, ResponseInfo>;
  /**
   * Of a GET of a project: whether its answer rests on metadata alone (see ports/changes.ts), so that the same caller may get it
   * again until that changes.
   */
  cacheable?: (query: Output<Q>) => boolean;
  /** Finds the object (404) and checks the caller's rights on it (403), before the body is looked at. */
  load?: (context: Ctx & Parsed<Q>) => Promise<Loaded>;
  handle: (context: Ctx & Parsed<Q> & { body: Output<B>; loaded: Loaded }) => Promise<unknown>;
}

/** A route whose types no longer matter, as tables hold it. */
// biome-ignore lint/suspicious/noExplicitAny: a table mixes routes of different types; each was checked by `route`
export type AnyRoute<Ctx> = Route<Ctx, any, any, any>;

/** Makes one row of a table; only there so that TypeScript infers the types between the columns. */
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

/** Who may call: turns a request into the context of the handlers, or throws the 401, 403 or 404. */
export type Guard<Ctx> = (context: RequestContext, route: Pick<AnyRoute<Ctx>, 'scope' | 'path'>) => Promise<Ctx>;

/** Mounts a table of routes under each prefix. Other methods on the same paths answer 405 after the guard. */
export function mountRoutes<Ctx extends RequestContext & Kept>(
  app: FastifyInstance,
  deps: Deps,
  prefixes: readonly string[],
  guard: Guard<Ctx>,
  routes: readonly AnyRoute<Ctx>[],
): void {
  for (const prefix of prefixes) {
    for (const route of routes) {
      registerRouteOperation(app, prefix, route);
      const methods = registerPath(app, prefix + route.path, (request, reply) =>
        guard({ deps, request, reply }, { scope: route.scope === null ? null : 'any', path: route.path }),
      );
      if (route.status !== 405) methods.add(route.method);
      app.route({
        method: route.method,
        url: prefix + route.path,
        config: { scope: route.scope, summary: route.summary },
        handler: (request, reply) => {
          if (route.status === 405) setAllowHeader(reply, methods);
          return run(deps, guard, route, request, reply);
        },
      });
    }
  }
}

const NO_BODY: ReadonlySet<number> = new Set([204, 302, 405]);

function registerRouteOperation<Ctx>(app: FastifyInstance, prefix: string, route: AnyRoute<Ctx>): void {
  const {
    method,
    path,
    scope,
    summary,
    description,
    params,
    query,
    describedBody,
    body = describedBody,
    status,
    response,
    mediaType,
    otherMediaType,
    errors: refuses = [],
    responses: answers = {},
  } = route;
  const schema = NO_BODY.has(status) ? null : response;
  const hasSegments = path.includes('/:');
  registerOperation(app, route, {
    method,
    urls: [prefix + path],
    access: scope,
    summary,
    description,
    params,
    query,
    body,
    responses: {
      ...answers,
      [status]: {
        ...(schema === undefined ? {} : { schema }),
        ...(mediaType ? { mediaType } : {}),
        ...(otherMediaType ? { otherMediaType } : {}),
      },
    },
    errorStatuses: [...(query || body ? [400] : []), ...(hasSegments || prefix.includes('/:') ? [404] : []), ...refuses].filter(
      (refused) => !(refused in answers),
    ),
  });
}

async function run<Ctx extends RequestContext & Kept>(
  deps: Deps,
  guard: Guard<Ctx>,
  route: AnyRoute<Ctx>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  allowAllOrigins(reply);
  // an answer is for who asked, also behind a proxy that keeps what nobody forbids it to keep
  reply.headers({ 'cache-control': 'private, no-store', 'x-content-type-options': 'nosniff' });
  if (!route.mediaType && !route.otherMediaType && !takesJson(request.headers.accept)) throw new ApiError('not_acceptable');
  if (request.method === 'GET' || request.method === 'HEAD') return read(deps, guard, route, request, reply);
  let guarded: Ctx | null = null;
  try {
    guarded = await guard({ deps, request, reply }, route);
    return await answer(guarded, route, request, reply);
  } finally {
    // read your writes: the next request to this process must see the change before its notification comes back from the database
    if (guarded?.project) deps.services.responseCache.changed(guarded.project.id);
    else if (guarded) deps.services.responseCache.changedSubjects(subjectsOf(guarded));
  }
}

/** Answers a read, by what was kept where there is such. */
async function read<Ctx extends RequestContext & Kept>(
  deps: Deps,
  guard: Guard<Ctx>,
  route: AnyRoute<Ctx>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const { responseCache: answers } = deps.services;
  const kept = route.cacheable ? answers.find(request) : null;
  if (kept) {
    await kept.again(request);
    return sendJson(reply, kept.body);
  }
  const begun = answers.begin();
  const guarded = await guard({ deps, request, reply }, route);
  const { project, recheckRateLimit: again } = guarded;
  return answer(guarded, route, request, reply, (query, body) => {
    if (project && again && route.cacheable?.(query)) answers.keep(request, begun, subjectsOf(guarded), { body, again });
  });
}

/** All that follows the guard. */
async function answer<Ctx extends RequestContext>(
  guarded: Ctx,
  route: AnyRoute<Ctx>,
  request: FastifyRequest,
  reply: FastifyReply,
  made: (query: unknown, body: Buffer) => void = () => {},
): Promise<unknown> {
  rejectUnknownParameters(route.query, request.query, route.response);
  const query = route.query ? validateQuery(route.query, request.query) : request.query;
  const context = { ...guarded, query, params: request.params as Record<string, string> };
  const loaded = await route.load?.(context);
  const sent = route.body ? await readBody(request) : undefined;
  const body = route.body ? validate(route.body, sent) : undefined;
  // what an answer says can be sent back where an object is made or changed, and means nothing to other actions
  const isOfObject = route.method !== 'POST' || route.status === 201;
  if (route.body) rejectUnknownFields(route.body, sent, isOfObject ? route.response : undefined);
  const result = await route.handle({ ...context, body, loaded });
  if (reply.sent || result === reply) return reply;
  reply.code(route.status);
  if (route.status === 204) return reply.send();
  const bytes = Buffer.from(JSON.stringify(result));
  made(query, bytes);
  return sendJson(reply, bytes);
}

const sendJson = (reply: FastifyReply, body: Buffer) =>
  reply.header('content-type', 'application/json; charset=utf-8').send(body);

/** Whether an `Accept` header leaves room for JSON, which is all that the API speaks. */
function takesJson(accept: string | undefined): boolean {
  return !accept?.trim() || /\*\/\*|application\/(\*|json)/i.test(accept);
}
