import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Config } from '../config.js';
import { startTestService, type TestService } from './service.js';

/** A route as it was registered with Fastify. */
export interface WatchedRoute {
  method: string;
  /** Pattern, such as `/api/projects/:project_id/`. */
  url: string;
}

interface RouteTeller {
  addHook(name: 'onRoute', hook: (route: { method: string | string[]; url: string }) => void): void;
}

/** Live events, whose response ends with the caller's access: `resources/live` has tests of its own. */
const ENDLESS = /\/live\/?$/;

/** As {@link startTestService}, with every route of the service: a walk over these misses none that is added later. */
export async function startWatchedService(
  overrides: Partial<Config> = {},
): Promise<{ service: TestService; routes: readonly WatchedRoute[] }> {
  const routes: WatchedRoute[] = [];
  const watch = (message: unknown) => {
    const { fastify } = message as { fastify: RouteTeller };
    fastify.addHook('onRoute', ({ method, url }) => {
      if (ENDLESS.test(url)) return;
      for (const one of [method].flat()) routes.push({ method: one, url });
    });
  };
  subscribe('fastify.initialization', watch);
  try {
    return { service: await startTestService(overrides), routes };
  } finally {
    unsubscribe('fastify.initialization', watch);
  }
}
