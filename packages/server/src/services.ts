import { join } from 'node:path';
import { type AccessRules, createAccessRules } from './access/index.js';
import {
  createQueryResults,
  createQueryRuns,
  measureReads,
  type OpenReads,
  type QueryResults,
  type QueryRuns,
} from './analytics/index.js';
import {
  createImpersonation,
  createProjectKeys,
  createRateLimits,
  type Impersonation,
  type ProjectKeys,
  type RateLimits,
} from './auth/index.js';
import { type Caches, createCaches, createInvalidations } from './caches/index.js';
import type { Deps, Ports } from './deps.js';
import {
  type CompiledRegexes,
  createCompiledRegexes,
  createFlagCalls,
  createFlagDefinitions,
  FLAG_CALLED,
  type FlagCalls,
  type FlagDefinitions,
} from './evaluation/index.js';
import { type Locate, openGeoip } from './geo/geoip.js';
import { createResponseCache, type ResponseCache } from './http/response-cache.js';
import { createZstd, type Zstd } from './http/sdk/index.js';
import {
  createForwarder,
  createGroupTypes,
  createIntake,
  createPropertyCache,
  type Forwarder,
  type GroupTypes,
  type Intake,
  type PropertyCache,
} from './ingestion/index.js';
import { createRunner, type Runner } from './jobs/index.js';
import { createPasswords, type Passwords } from './resources/accounts/index.js';
import { createRenderer, MACHINE_FOLDERS, type Renderer } from './resources/exports/index.js';
import { createLiveChannels, type LiveChannels } from './resources/live/index.js';
import { createEventVolumes, type EventVolumes } from './resources/taxonomy/index.js';

/** Everything that lives as long as the process: caches, limits, pools and registries. Modules have no state of their own. */
export interface Services {
  /** Creates the caches of modules, and lists them for the metrics. */
  readonly caches: Caches;
  /** Cached responses to reads. */
  readonly responseCache: ResponseCache;
  /** Projects by public key. */
  readonly projectKeys: ProjectKeys;
  readonly rateLimits: RateLimits;
  readonly impersonation: Impersonation;
  /** Loads access rules in batches. */
  readonly accessRules: AccessRules;
  readonly passwords: Passwords;
  /** Compiled patterns of flag conditions. */
  readonly compiledRegexes: CompiledRegexes;
  readonly flagDefinitions: FlagDefinitions;
  readonly queryResults: QueryResults;
  /** Reads of the event store that run or wait. */
  readonly openReads: OpenReads;
  /** Events of the last 30 days by name. */
  readonly eventVolumes: EventVolumes;
  /** Lists of events as they are stored. */
  readonly live: LiveChannels;
  /** GeoIP lookup. */
  readonly locate: Locate;
  /** Properties of persons, by version. */
  readonly personProperties: PropertyCache;
  readonly groupTypes: GroupTypes;
  /** Records when flags were last called. */
  readonly flagCalls: FlagCalls;
  /** Stores captured events. */
  readonly intake: Intake;
  /** Sends captured requests to `TIDEMARK_FORWARD_TO` as well. */
  readonly forwarder: Forwarder;
  /** Worker threads that draw charts. */
  readonly renderer: Renderer;
  /** The worker thread that decompresses Zstandard. */
  readonly zstd: Zstd;
  readonly queryRuns: QueryRuns;
  /** Background work: purges, sweeps and exports. */
  readonly runner: Runner;
  /** Ends all work of the services, those created last first, because they use the earlier ones. The stores must be open until then. */
  close(): Promise<void>;
}

/** @throws Error with one sentence if a file that the configuration names cannot be read */
export function createServices(ports: Ports, openReads: OpenReads): Services {
  const { config } = ports;
  const caches = createCaches(ports.clock);
  const invalidations = createInvalidations();
  const responseCache = createResponseCache(ports, caches, invalidations);
  ports.changes.onChange(responseCache.invalidateProject);
  const renderer = createRenderer({
    fontFolder: config.fontFolder,
    machineFolders: MACHINE_FOLDERS,
    home: join(config.dataDir, 'fonts'),
  });
  const zstd = createZstd();
  const queryRuns = createQueryRuns(ports);
  const locate = openGeoip(config.geoipFile, caches);
  const personProperties = createPropertyCache(caches);
  const groupTypes = createGroupTypes(caches);
  const flagCalls = createFlagCalls(ports, caches);
  const intake = createIntake(
    { ...ports, services: { caches, locate, personProperties, groupTypes } },
    { event: FLAG_CALLED, stored: flagCalls.eventStored },
  );
  const forwarder = createForwarder(ports);
  const queryResults = createQueryResults(ports, caches);
  const runner = createRunner(ports);
  return Object.freeze({
    caches,
    responseCache,
    projectKeys: createProjectKeys(ports, caches),
    rateLimits: createRateLimits(ports),
    impersonation: createImpersonation(),
    accessRules: createAccessRules(),
    passwords: createPasswords(),
    flagDefinitions: createFlagDefinitions(ports, caches, invalidations),
    compiledRegexes: createCompiledRegexes(caches),
    queryResults,
    openReads,
    eventVolumes: createEventVolumes(ports, caches),
    live: createLiveChannels(ports, caches),
    locate,
    personProperties,
    groupTypes,
    flagCalls,
    intake,
    forwarder,
    renderer,
    zstd,
    queryRuns,
    runner,
    close: async () => {
      await runner.stop();
      queryResults.renewals.close();
      await forwarder.close();
      await intake.close();
      await flagCalls.close();
      await queryRuns.close();
      await zstd.close();
      await renderer.close();
    },
  });
}

/** Adds new services to the ports, whose event store counts its reads from then on. */
export function withServices(given: Ports): Deps {
  const { events, openReads } = measureReads(given);
  const ports = { ...given, events };
  return { ...ports, services: createServices(ports, openReads) };
}
