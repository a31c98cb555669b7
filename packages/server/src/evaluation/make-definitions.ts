import { type PreparedFlags, prepareFlags } from '@tidemark/flags';
import type { SessionRecordingConfig } from '@tidemark/wire';
import type { JsonObject } from '../kernel/json.js';
import { cohortTree, makeLocalEvaluationPayload } from './local-evaluation.js';
import { recordingConfig, recordingOrigins } from './recording-config.js';
import type { Selection } from './selection.js';
import type { EarlyAccessRow, FlagRow, loadDefinitionRows, SurveyRow } from './store.js';

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
export interface Switches {
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

export function makeDefinitions(
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
