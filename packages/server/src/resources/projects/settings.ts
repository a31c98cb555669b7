import { z } from 'zod';
import { bool, integer, integerChoice, list, nullable, object, optional, text } from '../../http/atoms.js';
import type { Json, JsonObject } from '../../kernel/json.js';

const word = text({ max: 400 });
const words = list(word);

/** A setting without rules of its own: what may be sent and what is shown until it is. */
const setting = <S extends z.ZodType>(schema: S, fallback: Json) => ({ schema: optional(schema), fallback });

const SETTINGS = {
  app_urls: setting(list(nullable(text({ max: 400, blank: true }))), []),
  completed_snippet_onboarding: setting(bool(), false),
  has_completed_onboarding_for: setting(nullable(object()), {}),
  test_account_filters: setting(list(object()), []),
  test_account_filters_default_checked: setting(nullable(bool()), null),
  path_cleaning_filters: setting(nullable(list(object())), null),
  person_display_name_properties: setting(nullable(words), null),
  data_attributes: setting(words, ['data-attr']),
  week_start_day: setting(nullable(integerChoice([0, 1])), null),
  primary_dashboard: setting(nullable(integer()), null),
  live_events_columns: setting(nullable(words), null),
  recording_domains: setting(nullable(list(nullable(word))), null),
  autocapture_opt_out: setting(nullable(bool()), null),
  autocapture_exceptions_opt_in: setting(nullable(bool()), null),
  autocapture_web_vitals_opt_in: setting(nullable(bool()), null),
  capture_console_log_opt_in: setting(nullable(bool()), null),
  capture_performance_opt_in: setting(nullable(bool()), null),
  capture_dead_clicks: setting(nullable(bool()), null),
  heatmaps_opt_in: setting(nullable(bool()), null),
  surveys_opt_in: setting(nullable(bool()), null),
  session_recording_opt_in: setting(bool(), false),
  session_recording_sample_rate: setting(nullable(text({ max: 10 })), null),
  session_recording_minimum_duration_milliseconds: setting(nullable(integer()), null),
  session_recording_masking_config: setting(nullable(object()), null),
  session_recording_network_payload_capture_config: setting(nullable(object()), null),
};

type Name = keyof typeof SETTINGS;
const NAMES = Object.keys(SETTINGS).filter((name): name is Name => name in SETTINGS);

/** The fields of a request that are settings. */
export const settingsSchema = z.object(Object.fromEntries(NAMES.map((name) => [name, SETTINGS[name].schema])));

/** The settings among a request's checked fields, as they are stored. */
export function pickSettings(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(NAMES.filter((name) => fields[name] !== undefined).map((name) => [name, fields[name]]));
}

/** All settings of a project: what is stored, and the fallbacks of the rest. */
export function allSettings(stored: JsonObject): JsonObject {
  return Object.fromEntries(NAMES.map((name) => [name, stored[name] ?? SETTINGS[name].fallback]));
}
