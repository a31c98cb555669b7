import type { FastifyReply, FastifyRequest } from 'fastify';
import { readBody } from './body.js';
import { jsonInTurns } from './json-in-turns.js';
import { sendJson } from './response.js';
import { type RequestSubjects, subjectsOf } from './response-cache.js';
import type { AnyRoute, Guard, RequestContext } from './route.js';
import { rejectUnknownFields, rejectUnknownParameters } from './unknown-fields.js';
import { validate, validateQuery } from './validate.js';

/** A context as guards return it, as far as the response cache needs it. */
export interface GuardedContext extends RequestContext, RequestSubjects {
  /** Counts one more request of the same caller, which the response cache answers. @throws ApiError throttled */
  recheckRateLimit?: (request: FastifyRequest) => Promise<void>;
}

/** Answers a request by a route: a read from the response cache where possible; a write invalidates the responses that it concerns. */
export function runRoute<Ctx extends GuardedContext>(
  guard: Guard<Ctx>,
  route: AnyRoute<Ctx>,
  context: RequestContext,
): Promise<unknown> {
  const { method } = context.request;
  return method === 'GET' || method === 'HEAD' ? runRead(guard, route, context) : runWrite(guard, route, context);
}

async function runRead<Ctx extends GuardedContext>(
  guard: Guard<Ctx>,
  route: AnyRoute<Ctx>,
  context: RequestContext,
): Promise<unknown> {
  const { deps, request, reply } = context;
  const cache = deps.services.responseCache;
  const cached = route.cacheable ? cache.get(request) : null;
  if (cached) {
    await cached.recheckRateLimit(request);
    return sendJson(reply, cached.body);
  }
  const since = cache.now();
  const guarded = await guard(context, route);
  const { project, recheckRateLimit } = guarded;
  return respond(guarded, route, (query, body) => {
    if (!project || !recheckRateLimit || !route.cacheable?.(query)) return;
    cache.set(request, since, subjectsOf(guarded), { body, recheckRateLimit });
  });
}

async function runWrite<Ctx extends GuardedContext>(
  guard: Guard<Ctx>,
  route: AnyRoute<Ctx>,
  context: RequestContext,
): Promise<unknown> {
  let guarded: Ctx | null = null;
  try {
    guarded = await guard(context, route);
    return await respond(guarded, route);
  } finally {
    // read your writes: the next request to this process must see the change before its notification comes back from the database
    const { responseCache } = context.deps.services;
    if (guarded?.project) responseCache.invalidateProject(guarded.project.id);
    else if (guarded) responseCache.invalidateSubjects(subjectsOf(guarded));
  }
}

/** Everything after the guard. `onResponse` is called with the body before it is sent. */
async function respond<Ctx extends RequestContext>(
  guarded: Ctx,
  route: AnyRoute<Ctx>,
  onResponse: (query: unknown, body: Buffer) => void = () => {},
): Promise<FastifyReply> {
  const { request, reply } = guarded;
  rejectUnknownParameters(route.query, request.query, route.response);
  const query = route.query ? validateQuery(route.query, request.query) : request.query;
  const context = { ...guarded, query, params: request.params as Record<string, string> };
  const loaded = await route.load?.(context);
  const body = route.body ? await readValidBody(route, request) : undefined;
  const result = await route.handle({ ...context, body, loaded });
  // a stream whose reader has closed the connection counts as not sent
  const isStreamed = reply.raw.headersSent || (result === undefined && reply.raw.destroyed);
  if (reply.sent || isStreamed || result === reply) return reply;
  reply.code(route.status);
  if (route.status === 204) return reply.send();
  const bytes = await jsonInTurns(result, guarded.deps.scheduler);
  onResponse(query, bytes);
  return sendJson(reply, bytes);
}

async function readValidBody<Ctx>({ method, status, body: schema, response }: AnyRoute<Ctx>, request: FastifyRequest) {
  if (!schema) return undefined;
  const sent = await readBody(request);
  const body = validate(schema, sent);
  // clients send an object back as they read it where it is created or changed; to other actions its fields mean nothing
  const isOfObject = method !== 'POST' || status === 201;
  rejectUnknownFields(schema, sent, isOfObject ? response : undefined);
  return body;
}
