import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { authenticate } from '../../auth/index.js';
import type { Deps } from '../../deps.js';
import { registerOperations } from '../../http/openapi/index.js';
import { ROLES } from '../../kernel/roles.js';
import { withinTime } from '../../kernel/scheduler.js';
import { checkBackups, checkDisks, checkStores, DEADLINE_MS, measureBackups, measureDisks, tellVersions } from './checks.js';
import { operations } from './operations.js';
import { type Space, spaceNow, tellSpace } from './space/index.js';

export { type Space, sampleSpace, spaceNow } from './space/index.js';

/**
 * Registers the health, readiness, preflight and metrics routes. They need no credentials and reveal nothing about tenants. Users are also
 * told what takes space.
 */
export function registerHealth(
  app: FastifyInstance,
  deps: Deps,
  {
    version,
    leaving,
    initiated,
  }: {
    version: string;
    /** Aborts when the server begins to stop. */
    leaving: AbortSignal;
    initiated: () => Promise<boolean>;
  },
): void {
  const { roles } = deps.config;
  const all = roles.length === ROLES.length;
  registerOperations(app, operations);
  measureDisks(deps);
  measureBackups(deps);
  tellVersions(deps, version);
  tellSpace(deps);

  app.get('/_health', async (request, reply) => {
    const [stores, disk, backup, space] = await Promise.all([
      checkStores(deps),
      checkDisks(deps),
      checkBackups(deps),
      spaceForUser(deps, request, reply),
    ]);
    const { lagMs, waitingEvents, refusing } = deps.services.intake.state();
    const status = stores.ok ? (disk.ok ? (refusing ?? 'ok') : 'full') : 'unavailable';
    return reply.code(status === 'ok' ? 200 : 503).send({
      status,
      version,
      roles,
      stores: stores.checks,
      disk,
      ingest: { lag_seconds: lagMs / 1000, waiting_events: waitingEvents, refusing },
      reads: deps.services.openReads,
      backup,
      ...(space === undefined ? {} : { space }),
    });
  });

  app.get('/_ready', async (_request, reply) => {
    const isReady = !leaving.aborted && (await checkStores(deps)).ok;
    return reply
      .code(isReady ? 200 : 503)
      .type('text/plain')
      .send(`${isReady ? 'ready' : 'not ready'}${all ? '' : `: ${roles.join(', ')}`}\n`);
  });

  app.get('/_preflight', async () => {
    const { checks } = await checkStores(deps);
    const hasAccount = checks.postgres.ok ? await initiated() : null;
    return {
      version,
      db: checks.postgres.ok,
      clickhouse: checks.events.ok,
      initiated: hasAccount,
      cloud: false,
      can_create_org: deps.config.openSignup || hasAccount === false,
    };
  });

  app.get('/metrics', async (_request, reply) => reply.type(deps.metrics.contentType).send(await deps.metrics.metrics()));
}

/** What takes space, for users with a session or a personal key; undefined for others, and while the store does not answer. */
async function spaceForUser(deps: Deps, request: FastifyRequest, reply: FastifyReply): Promise<Space | null | undefined> {
  const { authorization, cookie } = request.headers;
  if (!authorization && !cookie) return undefined;
  const found = authenticate({ deps, request, reply }).then(
    () => spaceNow(deps.db, deps.clock.now()),
    () => undefined,
  );
  return withinTime(
    deps.scheduler,
    DEADLINE_MS,
    found.catch(() => undefined),
    () => undefined,
  );
}
