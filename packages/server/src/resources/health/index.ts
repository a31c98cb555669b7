import type { FastifyInstance } from 'fastify';
import type { Deps } from '../../deps.js';
import { registerOperations } from '../../http/openapi/index.js';
import { ROLES } from '../../kernel/roles.js';
import { checkBackups, checkDisks, checkStores, measureBackups, measureDisks, tellVersions } from './checks.js';
import { operations } from './operations.js';

/** Registers the health, readiness, preflight and metrics routes. They need no credentials and reveal nothing about tenants. */
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

  app.get('/_health', async (_request, reply) => {
    const [stores, disk, backup] = await Promise.all([checkStores(deps), checkDisks(deps), checkBackups(deps)]);
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
