import { type ClientLog, type FlagsAnswer, parseFlagsAnswer, requestFlags, send } from '@tidemark/client';
import type { NodePlatform } from '../node-platform.js';
import { awaited } from '../within.js';
import { parseFirstVersion } from './first-version.js';
import type { FlagSubject } from './flag-subject.js';

/** Asks the service. Never rejects; a text names why there is no answer, in words of the protocol. */
export type AskFlags = (subject: FlagSubject, keys?: readonly string[]) => Promise<FlagsAnswer | string>;

export interface AskFlagsOptions {
  host: string;
  apiKey: string;
  /** Milliseconds for each attempt. */
  timeoutMs: number;
  /** How often a request without an answer is made again. */
  maxRetries: number;
  disableGeoip: boolean;
  contexts?: readonly string[] | undefined;
}

export function createAskFlags(platform: NodePlatform, options: AskFlagsOptions, log: ClientLog): AskFlags {
  const headers = { 'user-agent': `${platform.library.name}/${platform.library.version}` };
  const { host, apiKey, timeoutMs, maxRetries, disableGeoip, contexts } = options;

  async function ask(subject: FlagSubject, keys: readonly string[] | undefined): Promise<FlagsAnswer | string> {
    const body = JSON.stringify({
      token: apiKey,
      distinct_id: subject.distinctId,
      groups: subject.groups,
      person_properties: subject.personProperties,
      group_properties: subject.groupProperties,
      $device_id: subject.deviceId,
      geoip_disable: subject.disableGeoip ?? disableGeoip,
      evaluation_contexts: contexts,
      flag_keys: keys,
    });
    const attempt = () => send(platform, `${host}/flags/?v=2`, body, { headers, timeoutMs });
    const answer = await requestFlags(attempt, platform.timers, maxRetries);
    if (answer.status !== 200) return `api_error_${answer.status}`;
    const badPayload = (key: string) => log.warn(`The payload of a flag is no JSON, so it counts as none: ${key}`);
    const parsed: unknown = JSON.parse(await answer.text());
    return parseFlagsAnswer(parsed, badPayload) ?? parseFirstVersion(parsed, badPayload) ?? 'unknown_error';
  }

  return async (subject, keys) => {
    const answer = await awaited(platform, () => ask(subject, keys)).catch((error: unknown) => {
      log.debug('The service did not answer a question about flags:', error);
      return error instanceof Error && error.message === 'timeout' ? 'timeout' : 'connection_error';
    });
    if (typeof answer === 'string') log.warn(`Flags could not be loaded, check host: ${answer}`);
    return answer;
  };
}
