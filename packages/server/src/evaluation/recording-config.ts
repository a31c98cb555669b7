import type { SessionRecordingConfig, UrlCondition } from '@tidemark/wire';
import { isObject, type Json, type JsonObject } from '../kernel/json.js';

/** Configuration of recorders from the settings of a project; false: recording is disabled. */
export function recordingConfig(settings: JsonObject): false | SessionRecordingConfig {
  if (settings.session_recording_opt_in !== true) return false;
  const minimum = settings.session_recording_minimum_duration_milliseconds;
  const match = settings.session_recording_trigger_match_type_config;
  const masking = settings.session_recording_masking_config;
  const network = settings.session_recording_network_payload_capture_config;
  return {
    endpoint: '/s/',
    consoleLogRecordingEnabled: settings.capture_console_log_opt_in === true,
    recorderVersion: 'v2',
    sampleRate: sampleRate(settings.session_recording_sample_rate),
    minimumDurationMilliseconds: typeof minimum === 'number' && minimum > 0 ? minimum : null,
    linkedFlag: linkedFlag(settings.session_recording_linked_flag),
    networkPayloadCapture: isObject(network) ? network : null,
    masking: isObject(masking) ? masking : null,
    urlTriggers: conditions(settings.session_recording_url_trigger_config),
    urlBlocklist: conditions(settings.session_recording_url_blocklist_config),
    eventTriggers: texts(settings.session_recording_event_trigger_config),
    triggerMatchType: match === 'any' || match === 'all' ? match : null,
    scriptConfig: null,
  };
}

/** Sites whose sessions may be recorded; null: all. */
export function recordingOrigins(settings: JsonObject): string[] | null {
  const domains = texts(settings.recording_domains);
  return domains.length > 0 ? domains : null;
}

/** Whether an origin is on a site; `https://*.example.com` stands for every name below it. */
export function matchesOrigin(site: string, origin: string): boolean {
  const [page, pattern] = [hostOf(origin), hostOf(site.replace('://*.', '://.'))];
  if (page === null || pattern === null) return site === origin;
  return pattern.startsWith('.') ? page.endsWith(pattern) : page === pattern;
}

function hostOf(address: string): string | null {
  const host = /^(?:https?:\/\/)?([^/?#]+)/i.exec(address)?.[1];
  return host ? host.toLowerCase() : null;
}

function sampleRate(value: Json | undefined): string | null {
  const rate = typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN;
  return rate >= 0 && rate <= 1 && typeof value === 'string' ? value.trim() : null;
}

function linkedFlag(value: Json | undefined): SessionRecordingConfig['linkedFlag'] {
  if (!isObject(value)) return null;
  const { key, variant } = value;
  if (typeof key !== 'string' || key === '') return null;
  return typeof variant === 'string' && variant !== '' ? { flag: key, variant } : key;
}

function conditions(value: Json | undefined): UrlCondition[] {
  const list = Array.isArray(value) ? value.filter(isObject) : [];
  return list.flatMap(({ url }) => (typeof url === 'string' && url !== '' ? [{ url, matching: 'regex' as const }] : []));
}

const texts = (value: Json | undefined): string[] =>
  Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string' && item !== '') : [];
