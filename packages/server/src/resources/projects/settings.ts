import { z } from 'zod';
import { MAX_STALENESS_SECONDS } from '../../config.js';
import {
  bool,
  choice,
  integer,
  integerChoice,
  integerFrom,
  list,
  nullable,
  object,
  optional,
  primaryKey,
  text,
} from '../../http/fields.js';
import type { Json, JsonObject } from '../../kernel/json.js';

const word = text({ max: 400 });
const words = list(word);

/** A setting without rules of its own: what may be sent, what is shown, and what is shown until something is sent. */
const setting = <S extends z.ZodType, Shown extends z.ZodType>(description: string, schema: S, shown: Shown, fallback: Json) => ({
  schema: optional(schema).describe(description),
  shown: shown.describe(description),
  fallback,
});

/** Whether SDKs do something; null leaves it to them. */
const choiceOfSdks = (description: string) =>
  setting(`${description}; null: as the SDK has it.`, nullable(bool()), z.boolean().nullable(), null);

const anyObject = z.record(z.string(), z.unknown());

/** A hundred years. */
const MAX_DAYS = 36_500;

/** For how many days something is kept. */
const daysOf = (what: string, isDeleted: string) =>
  setting(
    `For how many days ${what}; ${isDeleted}. Null: for ever.`,
    nullable(integerFrom(1, MAX_DAYS)),
    z.int().nullable(),
    null,
  );

const SETTINGS = {
  app_urls: setting(
    'Addresses of the sites that send events.',
    list(nullable(text({ max: 400, blank: true }))),
    z.array(z.string().nullable()),
    [],
  ),
  completed_snippet_onboarding: setting('Whether somebody has put the snippet in place.', bool(), z.boolean(), false),
  has_completed_onboarding_for: setting('Which parts of the product were set up, by name.', nullable(object()), anyObject, {}),
  test_account_filters: setting(
    'Property filters that leave out events of test accounts.',
    list(object()),
    z.array(anyObject),
    [],
  ),
  test_account_filters_default_checked: setting(
    'Whether new insights leave out events of tests.',
    nullable(bool()),
    z.boolean().nullable(),
    null,
  ),
  path_cleaning_filters: setting(
    'How addresses are made alike before they are compared.',
    nullable(list(object())),
    z.array(anyObject).nullable(),
    null,
  ),
  person_display_name_properties: setting(
    'Properties that name a person, the first that is filled; null: e-mail address, name, user name.',
    nullable(words),
    z.array(z.string()).nullable(),
    null,
  ),
  data_attributes: setting('HTML attributes that identify elements.', words, z.array(z.string()), ['data-attr']),
  week_start_day: setting(
    'First day of the week: 0 Sunday, 1 Monday; null: Sunday.',
    nullable(integerChoice([0, 1])),
    z.literal([0, 1]).nullable(),
    null,
  ),
  query_staleness_seconds: setting(
    'How old a result that takes long to compute may be, seconds from 0 to 3600; null: as the service is configured (10).',
    nullable(integerFrom(0, MAX_STALENESS_SECONDS)),
    z.int().nullable(),
    null,
  ),
  primary_dashboard: setting(
    'Number of the dashboard that is shown first; null: none.',
    nullable(primaryKey()),
    z.int().nullable(),
    null,
  ),
  live_events_columns: setting('Columns of the list of live events.', nullable(words), z.array(z.string()).nullable(), null),
  recording_domains: setting(
    'Addresses whose sessions may be recorded; null: all.',
    nullable(list(nullable(word))),
    z.array(z.string().nullable()).nullable(),
    null,
  ),
  autocapture_opt_out: choiceOfSdks('Whether SDKs leave clicks and inputs alone'),
  autocapture_exceptions_opt_in: choiceOfSdks('Whether SDKs for web pages capture errors'),
  autocapture_web_vitals_opt_in: choiceOfSdks('Whether SDKs for web pages capture web vitals'),
  capture_console_log_opt_in: choiceOfSdks('Whether recordings hold the console'),
  capture_performance_opt_in: choiceOfSdks('Whether recordings of posthog-js hold network requests'),
  capture_dead_clicks: choiceOfSdks('Whether SDKs for web pages capture clicks without effect'),
  heatmaps_opt_in: choiceOfSdks('Whether posthog-js captures where people click and move'),
  surveys_opt_in: choiceOfSdks('Whether SDKs show surveys'),
  session_recording_opt_in: setting('Whether SDKs record sessions.', bool(), z.boolean(), false),
  session_recording_sample_rate: setting(
    'Share of the sessions that is recorded, from 0 to 1, as text; null: all.',
    nullable(text({ max: 10 })),
    z.string().nullable(),
    null,
  ),
  session_recording_minimum_duration_milliseconds: setting(
    'Minimum duration of a session, milliseconds; shorter ones are not stored. Null: no minimum.',
    nullable(integer()),
    z.int().nullable(),
    null,
  ),
  session_recording_masking_config: setting('What recordings hide.', nullable(object()), anyObject.nullable(), null),
  session_recording_network_payload_capture_config: setting(
    'What recordings hold of network requests.',
    nullable(object()),
    anyObject.nullable(),
    null,
  ),
  session_recording_linked_flag: setting(
    'Records only with this flag: `{ "key", "variant" }`; null: with or without.',
    nullable(object()),
    anyObject.nullable(),
    null,
  ),
  session_recording_url_trigger_config: setting(
    'Recording starts on these pages: `{ "url": regular expression, "matching": "regex" }` each; null: on all.',
    nullable(list(object())),
    z.array(anyObject).nullable(),
    null,
  ),
  session_recording_url_blocklist_config: setting(
    'Recording pauses on these pages, written the same way.',
    nullable(list(object())),
    z.array(anyObject).nullable(),
    null,
  ),
  session_recording_event_trigger_config: setting(
    'Recording starts with one of these events, by name; null: without waiting.',
    nullable(words),
    z.array(z.string()).nullable(),
    null,
  ),
  session_recording_trigger_match_type_config: setting(
    'Whether all conditions of recording must be met or one is enough; null: all.',
    nullable(choice(['all', 'any'])),
    z.enum(['all', 'any']).nullable(),
    null,
  ),
  session_recording_retention_period: setting(
    'Retention of recordings; null: until they are deleted.',
    nullable(choice(['30d', '90d', '1y', '5y'])),
    z.enum(['30d', '90d', '1y', '5y']).nullable(),
    null,
  ),
  cookieless_server_hash_mode: setting(
    'Whether visitors of pages in cookieless mode are counted by an id of the day, which the server computes: 0 no, their events are dropped if they have no id of their own; 1 yes.',
    integerChoice([0, 1]),
    z.literal([0, 1]),
    0,
  ),
  events_retention_days: daysOf('events are kept, by their time', 'older days (UTC) are deleted for good'),
  exports_retention_days: daysOf('files of exports are kept at most', 'an export may expire earlier'),
  activity_retention_days: daysOf('entries of the activity log are kept', 'older ones are deleted'),
};

type Name = keyof typeof SETTINGS;
const NAMES = Object.keys(SETTINGS).filter((name): name is Name => name in SETTINGS);

/** Settings that delete data. Only administrators of a project may change them. */
export const RETENTION_SETTINGS = [
  'events_retention_days',
  'exports_retention_days',
  'activity_retention_days',
] as const satisfies Name[];

/** The fields of a request that are settings. */
export const settingsSchema = z.object(Object.fromEntries(NAMES.map((name) => [name, SETTINGS[name].schema])));

/** The same as responses show them. */
export const shownSettings = {
  completed_snippet_onboarding: SETTINGS.completed_snippet_onboarding.shown,
  has_completed_onboarding_for: SETTINGS.has_completed_onboarding_for.shown,
  ...Object.fromEntries(NAMES.map((name) => [name, SETTINGS[name].shown])),
};

/** The settings among a request's checked fields, as they are stored. */
export function pickSettings(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(NAMES.filter((name) => fields[name] !== undefined).map((name) => [name, fields[name]]));
}

/** All settings of a project: what is stored, and the fallbacks of the rest. */
export function allSettings(stored: JsonObject): JsonObject {
  return Object.fromEntries(NAMES.map((name) => [name, stored[name] ?? SETTINGS[name].fallback]));
}
