import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type FastifyBaseLogger, type FastifyInstance, fastify, LogController } from 'fastify';
import { backgroundKinds } from './background-work.js';
import { observeCaches } from './caches/index.js';
import type { Deps } from './deps.js';
import { registerFlags, registerRemotePayload } from './evaluation/index.js';
import { answerMalformedRequest, sendError } from './http/error-handler.js';
import { sendBuildId, sendSecurityHeaders } from './http/response.js';
import { installRestApi, observeRequests } from './http/rest-api.js';
import { registerForRole } from './http/roles.js';
import { registerCapture } from './ingestion/index.js';
import { type Scheduler, sleep } from './kernel/scheduler.js';
import { firstAccountExists, registerAccounts, registerSession } from './resources/accounts/index.js';
import { registerActions } from './resources/actions/index.js';
import { registerActivity } from './resources/activity/index.js';
import { registerAlerts } from './resources/alerts/index.js';
import { registerAnnotations } from './resources/annotations/index.js';
import { registerCohorts } from './resources/cohorts/index.js';
import { registerDashboards } from './resources/dashboards/index.js';
import { registerEarlyAccess } from './resources/early-access/index.js';
import { registerEvents } from './resources/events/index.js';
import { registerExperiments } from './resources/experiments/index.js';
import { registerExports } from './resources/exports/index.js';
import { registerFeatureFlags } from './resources/feature-flags/index.js';
import { registerGroups } from './resources/groups/index.js';
import { registerHealth } from './resources/health/index.js';
import { registerImportLeases } from './resources/import-leases/index.js';
import { registerImportedObjects } from './resources/imported-objects/index.js';
import { registerInsightVariables } from './resources/insight-variables/index.js';
import { registerInsights } from './resources/insights/index.js';
import { registerKeys } from './resources/keys/index.js';
import { registerLive } from './resources/live/index.js';
import { registerMembers } from './resources/members/index.js';
import { registerOrganizations } from './resources/organizations/index.js';
import { registerPersonData } from './resources/person-data/index.js';
import { registerPersons } from './resources/persons/index.js';
import { registerProjects } from './resources/projects/index.js';
import { registerPublic } from './resources/public/index.js';
import { registerQuery } from './resources/queries/index.js';
import { registerRecentlyViewed } from './resources/recently-viewed/index.js';
import { registerRecordings } from './resources/recordings/index.js';
import { registerRoles } from './resources/roles/index.js';
import { registerSample } from './resources/sample/index.js';
import { registerSchema } from './resources/schema/index.js';
import { registerSharing } from './resources/sharing/index.js';
import { registerPackages, registerStatic } from './resources/static/index.js';
import { registerSurveys } from './resources/surveys/index.js';
import { registerDefinitions } from './resources/taxonomy/index.js';
import { registerTemplates } from './resources/templates/index.js';
import { registerWarnings } from './resources/warnings/index.js';
import { registerWebApp } from './resources/web-app/index.js';
import { readBuildId, VERSION } from './version.js';

/** Builds the service: every module, in order. Closing it finishes and stores the requests in flight. */
export async function buildApp(deps: Deps): Promise<FastifyInstance> {
  const log: FastifyBaseLogger = deps.log;
  const { services } = deps;
  const app = fastify({
    loggerInstance: log,
    // observeRequests writes the only log line of a request
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: deps.config.trustedProxies.length > 0 ? deps.config.trustedProxies : false,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 500 },
    genReqId: () => deps.ids.uuid(),
    requestTimeout: 60_000,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    // malformed URLs reach no handler, and bytes that are not HTTP do not reach Fastify
    frameworkErrors: sendError,
    clientErrorHandler: answerMalformedRequest,
  });
  installRestApi(app, deps.scheduler);
  observeRequests(app, deps);
  observeCaches(deps.metrics, services.caches.stats);
  sendSecurityHeaders(app, deps.config);
  const build = readBuildId();
  sendBuildId(app, build);

  if (deps.config.roles.includes('jobs')) {
    app.addHook('onReady', async () => services.runner.start(backgroundKinds(app, deps)));
  }
  const leaving = new AbortController();
  // The close: readiness, so that load balancers send requests elsewhere; background work, which calls the routes; connections; then the
  // services, which store what requests have left.
  app.addHook('preClose', async () => {
    leaving.abort();
    if (deps.config.drainSeconds > 0) await sleep(deps.scheduler, deps.config.drainSeconds * 1_000);
  });
  app.addHook('preClose', () => services.runner.stop());
  app.addHook('preClose', async () => services.live.close());
  const closeUnused = watchUnused(app.server);
  app.addHook('preClose', async () => {
    await drainConnections(app.server, deps.scheduler);
    // a connection whose response was in flight becomes idle during the close, and its client may keep it open
    app.server.once(
      'close',
      deps.scheduler.every(50, () => {
        app.server.closeIdleConnections();
        closeUnused();
      }),
    );
  });
  app.addHook('onClose', () => services.close());

  registerHealth(app, deps, { version: VERSION, leaving: leaving.signal, initiated: () => firstAccountExists(deps) });
  registerForRole(app, deps, 'capture', (scope) => registerCapture(scope, deps));
  registerForRole(app, deps, 'flags', (scope) => registerFlags(scope, deps));
  registerForRole(app, deps, 'api', (scope) => registerApi(scope, deps, build));
  registerStatic(app);
  registerPackages(app, { stored: join(deps.config.dataDir, 'packages'), log: deps.log });
  return app;
}

/** Mounts the REST API, the web app and public pages. */
function registerApi(app: FastifyInstance, deps: Deps, build: string): void {
  registerSession(app, deps, { version: VERSION, build });
  registerMetadata(app, deps);
  registerRemotePayload(app, deps);
  registerQuery(app, deps);
  registerExports(app, deps);
  registerPersons(app, deps);
  registerPersonData(app, deps);
  registerEvents(app, deps);
  registerLive(app, deps);
  registerRecordings(app, deps);
  registerDefinitions(app, deps);
  registerSample(app, deps);
  registerWarnings(app, deps);
  registerPublic(app, deps);
  registerWebApp(app, deps);
  registerSchema(app, deps, VERSION);
}

/** Mounts the resources that are stored in PostgreSQL alone. */
export function registerMetadata(app: FastifyInstance, deps: Deps): void {
  registerAccounts(app, deps);
  registerOrganizations(app, deps);
  registerRoles(app, deps);
  registerProjects(app, deps);
  registerKeys(app, deps);
  registerMembers(app, deps);
  registerGroups(app, deps);
  registerActivity(app, deps);
  registerDashboards(app, deps);
  registerSharing(app, deps);
  registerTemplates(app, deps);
  registerInsights(app, deps);
  registerImportLeases(app, deps);
  registerImportedObjects(app, deps);
  registerInsightVariables(app, deps);
  registerFeatureFlags(app, deps);
  registerCohorts(app, deps);
  registerEarlyAccess(app, deps);
  registerExperiments(app, deps);
  registerSurveys(app, deps);
  registerActions(app, deps);
  registerAlerts(app, deps);
  registerAnnotations(app, deps);
  registerRecentlyViewed(app, deps);
}

/** How long a close waits for clients to close their connections, and the interval of checks; milliseconds. */
const DRAIN_MS = 1_000;
const CHECK_MS = 50;

/** Watches the connections of a server. @returns a function that ends those without a request yet, which no limit of idle ones closes */
function watchUnused(server: Server): () => void {
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  return () => {
    for (const socket of open) if (socket.bytesRead === 0) socket.destroy();
  };
}

/**
 * Waits a moment for clients to close their connections. During a close every response has `Connection: close`. A load balancer would
 * lose a request that it sends on a connection while the server closes it.
 */
async function drainConnections(server: Server, scheduler: Scheduler): Promise<void> {
  const count = promisify(server.getConnections.bind(server));
  for (let waited = 0; waited < DRAIN_MS && (await count()) > 0; waited += CHECK_MS) await sleep(scheduler, CHECK_MS);
}
