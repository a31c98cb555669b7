import { join } from 'node:path';
import { createQueryResults, createQueryRuns, type QueryResults, type QueryRuns } from './analytics/index.js';
import { createProjectKeys, createRateLimits, type ProjectKeys, type RateLimits } from './auth/index.js';
import type { Deps, Ports } from './deps.js';
import { createFlagDefinitions, type FlagDefinitions } from './evaluation/index.js';
import { type Locate, openGeoip } from './geo/geoip.js';
import { type Answers, createAnswers } from './http/answers.js';
import { createGroupTypes, type GroupTypes, PropertyCache } from './ingestion/index.js';
import { createRenderer, type Renderer } from './resources/exports/index.js';

/** Everything that lives as long as the process: caches, limits, pools and registries. Modules have no state of their own. */
export interface Services {
  /** Responses to reads, until something changes. */
  readonly responseCache: Answers;
  /** Projects by public key. */
  readonly projectKeys: ProjectKeys;
  readonly rateLimits: RateLimits;
  readonly flagDefinitions: FlagDefinitions;
  readonly queryResults: QueryResults;
  readonly queryRuns: QueryRuns;
  /** GeoIP lookup. */
  readonly locate: Locate;
  /** Properties of persons, by version. */
  readonly personProperties: PropertyCache;
  readonly groupTypes: GroupTypes;
  /** Worker threads that draw charts. */
  readonly renderer: Renderer;
}

/** @throws Error one sentence, when a file that the configuration names cannot be read */
export function createServices(ports: Ports): Services {
  const { config } = ports;
  const responseCache = createAnswers(ports);
  return Object.freeze({
    responseCache,
    projectKeys: createProjectKeys(ports),
    rateLimits: createRateLimits(ports),
    flagDefinitions: createFlagDefinitions(ports, responseCache),
    queryResults: createQueryResults(),
    queryRuns: createQueryRuns(ports),
    locate: openGeoip(config.geoipFile),
    personProperties: new PropertyCache(),
    groupTypes: createGroupTypes(),
    renderer: createRenderer({ fontFolder: config.fontFolder, home: join(config.dataDir, 'fonts') }),
  });
}

/** The ports with services of their own. */
export const withServices = (ports: Ports): Deps => ({ ...ports, services: createServices(ports) });
