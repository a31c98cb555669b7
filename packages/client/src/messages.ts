import type { Log } from './platform.js';

/** Log messages by code. `%` is replaced by the text after the colon of the code. */
const MESSAGES: Record<string, string> = {
  alias: 'alias needs an id other than the current one.',
  answer: 'No answer:',
  consent: 'The answer to consent could not be stored:',
  exception: 'capture("$exception"): use captureException.',
  exceptions: '% needs the feature exceptions() in init.',
  exists: 'init: "%" exists; a second client needs another name.',
  failed: '% failed:',
  flag: 'Flag "%" is not loaded yet: read it in onFeatureFlags.',
  flags: 'Flags need the feature flags() instead of withoutFlags().',
  full: 'Queue full: the oldest events are lost. See maxQueueSize.',
  group: '% needs a group type and key.',
  id: '% needs an id as text, not',
  key: 'init needs the project key (tmk_…).',
  name: 'capture needs the name of an event.',
  payload: 'Flag "%": payload is not JSON.',
  person: '%: call reset before another person.',
  profiles: '% needs person_profiles other than never.',
  properties: 'capture("%"): properties must be an object.',
  rate: 'capture: too many events, see rate_limiting.',
  refused: 'Events refused (%): check the project key.',
  replay: '% needs the feature replay() in init.',
  secret: 'init needs the project key (tmk_…), not a secret key.',
  service: 'No Tidemark at % - check api_host.',
  session: 'bootstrap.sessionId "%" is no UUIDv7.',
  silent: 'Not captured, and no flags are requested: %',
  stamp: 'capture replaced a bad timestamp or uuid:',
  unsent: 'shutdown left % events unsent: it needs more time.',
};

/** Why a client captures nothing, by code. */
const REASONS: Record<string, string> = {
  bot: 'automated browser; set opt_out_useragent_filter',
  default: 'opt_out_by_default is set',
  denied: 'the person opted out',
  dnt: 'Do Not Track',
  undefined: 'the client is off',
};

/**
 * A log that writes full messages for the codes that the core logs, such as `group:groupIdentify`. The core has only codes, so that a page loads
 * the messages with the first one. Other texts are written unchanged.
 */
export function withMessages(target: Log): Log {
  const write =
    (level: keyof Log) =>
    (prefix: unknown, ...parts: unknown[]) => {
      const [first] = parts;
      const [code = '', about = ''] = typeof first === 'string' ? (/^(\w+)(?::(.*))?$/s.exec(first)?.slice(1) ?? []) : [];
      const text = Object.hasOwn(MESSAGES, code) ? MESSAGES[code] : undefined;
      const subject = code === 'silent' ? (REASONS[about] ?? about) : about || 'A callback or feature';
      if (text) parts[0] = text.replace('%', () => subject);
      target[level](prefix, ...parts);
    };
  return { debug: write('debug'), warn: write('warn'), error: write('error') };
}
