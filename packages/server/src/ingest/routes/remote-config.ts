import type { RemoteConfig } from '@tidemark/wire';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError } from '../../kernel/errors.js';
import type { CaptureProject } from '../capture.js';
import { Refusal } from '../decode/index.js';
import { closeMethods } from './cors.js';
import type { Door } from './door.js';
import { autocaptureOptOut } from './project-settings-store.js';

/** Clients ask at every page view; a changed setting may take this long to reach them. */
const CACHING = 'public, max-age=60';

/** What clients are told to do, as data and as a script. An unknown key gets 404, which SDKs take as "use the defaults". */
export function registerRemoteConfig(scope: FastifyInstance, door: Door): void {
  scope.get('/array/:key/config', async (request, reply) => {
    const config = await configOf(door, request);
    return reply.header('cache-control', CACHING).send(config);
  });
  scope.get('/array/:key/config.js', async (request, reply) => {
    const config = await configOf(door, request);
    return reply.header('cache-control', CACHING).type('application/javascript; charset=utf-8').send(script(config));
  });
  for (const url of ['/array/:key/config', '/array/:key/config.js']) closeMethods(scope, url, ['GET', 'HEAD']);
}

async function configOf(door: Door, request: FastifyRequest): Promise<RemoteConfig> {
  const { key } = request.params as { key: string };
  try {
    return await remoteConfig(door, await door.projectOf(key));
  } catch (error) {
    throw error instanceof Refusal ? new ApiError('not_found') : error;
  }
}

/** Only what this version supports is on: each switch makes SDKs load or send something. */
export async function remoteConfig(door: Door, project: CaptureProject): Promise<RemoteConfig> {
  return {
    token: project.apiToken,
    supportedCompression: ['gzip', 'gzip-js'],
    hasFeatureFlags: false,
    captureDeadClicks: false,
    capturePerformance: false,
    autocapture_opt_out: await autocaptureOptOut(door.deps.db, project.id),
    autocaptureExceptions: false,
    analytics: { endpoint: '/i/v0/e/' },
    elementsChainAsString: true,
    errorTracking: { autocaptureExceptions: false, suppressionRules: [] },
    sessionRecording: false,
    heatmaps: false,
    surveys: false,
    productTours: false,
    defaultIdentifiedOnly: true,
    conversations: false,
    logs: { captureConsoleLogs: false },
    siteApps: [],
    isAuthenticated: false,
    toolbarParams: {},
  };
}

function script(config: RemoteConfig): string {
  const token = JSON.stringify(config.token);
  return `(function(w){(w._POSTHOG_REMOTE_CONFIG=w._POSTHOG_REMOTE_CONFIG||{})[${token}]={config:${JSON.stringify(config)},siteApps:[]}})(window);`;
}
