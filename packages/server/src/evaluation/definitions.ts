import { type PreparedFlags, prepareFlags } from '@tidemark/flags';
import type { SessionRecordingConfig } from '@tidemark/wire';
import { type Caches, createRefreshingCache, type Invalidations } from '../caches/index.js';
import type { Ports } from '../deps.js';
import { isConnectionFault } from '../http/error-handler.js';
import type { JsonObject } from '../kernel/json.js';
import { cohortTree, makeLocalEvaluationPayload } from './local-evaluation.js';
import { recordingConfig, recordingOrigins } from './recording-config.js';
import type { Selection } from './selection.js';
import { definitionsFingerprint, type EarlyAccessRow, type FlagRow, loadDefinitionRows, type SurveyRow } from './store.js';

/** Age at which definitions are revalidated; milliseconds. Much shorter while LISTEN/NOTIFY is disconnected. */
const FRESH_MS = 30_000;
const FRESH_WITHOUT_NOTIFICATIONS_MS = 1_000;
/** How long a request waits for the database when stale definitions are available; milliseconds. */
const DATABASE_TIMEOUT_MS = 300;
/** Projects whose definitions are cached. */
const MAX_PROJECTS = 2_000;

/**
 * Cache of the flag definitions of projects. Lifecycle of an entry:
 *
 *     missing ──get──> loading ──────────────────────────────> fresh
 *                         ^                                    │  │ age > FRESH_MS
 *                         │ get        invalidated by NOTIFY   │  v
 *                      outdated <──────────────────────────────┘ stale ──get──> serves stale, revalidates in the background
 *                                                                                 ├ same fingerprint: fresh
 *                                                                                 └ other fingerprint: loads, then fresh
 *
 * A reload that fails or takes longer than DATABASE_TIMEOUT_MS leaves the former definitions in use.
 */
export interface FlagDefinitions {
  /**
   * The definitions of a project, from memory unless they changed. While the database is unavailable, the last known ones.
   * @throws Error the database is unavailable and nothing is cached
   */
  get(projectId: number): Promise<Definitions>;
  /** Invalidates the definitions of a project: the next use reads them again. */
  invalidate(projectId: number): void;
  /** Whether these definitions are the latest known ones: responses made from older ones must not be cached. */
  isCurrent(projectId: number, definitions: Definitions): boolean;
}

export function createFlagDefinitions(
  { db, clock, scheduler, changes, log }: Pick<Ports, 'db' | 'clock' | 'scheduler' | 'changes' | 'log'>,
  caches: Caches,
  invalidatedBy: Invalidations,
): FlagDefinitions {
  const tagsOf = (projectId: number) => [`project:${projectId}`];
  const cache = createRefreshingCache<number, Definitions>({ clock, scheduler }, caches, {
    name: 'flag_definitions',
    maxEntries: MAX_PROJECTS,
    invalidatedBy,
    tagsOf,
    freshMs: () => (changes.isListening() ? FRESH_MS : FRESH_WITHOUT_NOTIFICATIONS_MS),
    staleMs: Number.POSITIVE_INFINITY,
    patienceMs: DATABASE_TIMEOUT_MS,
    revalidatesBehind: () => changes.isListening(),
    read: async (projectId, former) => {
      const mark = await definitionsFingerprint(db, projectId);
      return former?.fingerprint === mark ? former : makeDefinitions(projectId, mark, await loadDefinitionRows(db, projectId));
    },
    onFailure: (error, projectId) => {
      if (!(error instanceof Error && isConnectionFault(error))) log.error({ err: error, projectId }, 'flags could not be read');
    },
  });
  return {
    get: async (projectId) => {
      const definitions = await cache.get(projectId);
      if (!definitions) throw new Error('a project without definitions of flags');
      return definitions;
    },
    invalidate: (projectId) => invalidatedBy.invalidate(tagsOf(projectId)),
    isCurrent: cache.isCurrent,
  };
}

/** Everything about a project that evaluation needs, loaded and compiled. */
export interface Definitions {
  projectId: number;
  /** Identifies this state of the flags; caches compare it, so that they do not hold definitions of earlier states in memory. */
  version: symbol;
  /** Equal marks mean equal rows. */
  fingerprint: string | null;
  timezone: string;
  /** Settings for autocapture of clients. */
  switches: Switches;
  recording: false | SessionRecordingConfig;
  /** Origins whose sessions may be recorded; null: all. */
  recordingOrigins: string[] | null;
  /** Inactive ones, too: others may depend on them. By id, ascending. */
  flags: readonly FlagRow[];
  byKey: ReadonlyMap<string, FlagRow>;
  prepared: PreparedFlags;
  /** Memoized selections; see `selectFlags`. */
  selections: Map<string, Selection>;
  /** Index by name. */
  groupTypes: ReadonlyMap<string, number>;
  earlyAccess: readonly EarlyAccessRow[];
  /** Launched surveys that are not archived; empty when surveys are disabled. */
  surveys: readonly SurveyRow[];
  /** The local-evaluation payload, created on first use. */
  localEvaluationPayload(sendCohorts: boolean): Buffer;
}

/** Boolean settings of a project for clients. */
interface Switches {
  noAutocapture: boolean;
  deadClicks: boolean;
  heatmaps: boolean;
  exceptions: boolean;
  webVitals: boolean;
  networkTiming: boolean;
}

const switchesOf = (settings: JsonObject): Switches => ({
  noAutocapture: settings.autocapture_opt_out === true,
  deadClicks: settings.capture_dead_clicks === true,
  heatmaps: settings.heatmaps_opt_in === true,
  exceptions: settings.autocapture_exceptions_opt_in === true,
  webVitals: settings.autocapture_web_vitals_opt_in === true,
  networkTiming: settings.capture_performance_opt_in === true,
});

function makeDefinitions(
  projectId: number,
  mark: string | null,
  rows: Awaited<ReturnType<typeof loadDefinitionRows>>,
): Definitions {
  const { flags, cohorts, groupTypes, earlyAccess, surveys, project } = rows;
  const feeds = new Map<boolean, Buffer>();
  return {
    projectId,
    version: Symbol('definitions'),
    fingerprint: mark,
    selections: new Map(),
    timezone: project.timezone,
    switches: switchesOf(project.settings),
    recording: recordingConfig(project.settings),
    recordingOrigins: recordingOrigins(project.settings),
    flags,
    byKey: new Map(flags.map((flag) => [flag.key, flag])),
    prepared: prepareFlags(
      flags,
      Object.fromEntries(cohorts.filter((cohort) => !cohort.is_static).map((cohort) => [cohort.id, cohortTree(cohort)])),
    ),
    groupTypes: new Map(groupTypes.map((type) => [type.group_type, type.group_type_index])),
    earlyAccess,
    surveys: project.settings.surveys_opt_in === false ? [] : surveys,
    localEvaluationPayload: (sendCohorts) => {
      const feed =
        feeds.get(sendCohorts) ??
        makeLocalEvaluationPayload({ projectId, timezone: project.timezone, flags, cohorts, groupTypes }, sendCohorts);
      feeds.set(sendCohorts, feed);
      return feed;
    },
  };
}
