import { createHmac } from 'node:crypto';
import type { Item } from '../item.js';
import type { Salts } from './salts.js';

/** The distinct id that posthog-js sends for everybody in cookieless mode. */
export const COOKIELESS_ID = '$posthog_cookieless';

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Whether an event comes from a page in cookieless mode, of somebody whom the page does not know. */
function isOfNobody({ event: { distinctId, properties } }: Item): boolean {
  if (properties.$cookieless_mode !== true) return false;
  // Tidemark's own libraries make an id for as long as the page is open
  return distinctId === COOKIELESS_ID || distinctId === properties.$device_id;
}

/**
 * Gives each event in cookieless mode the id of its visitor for today. Events without any id are dropped unless the project has turned that on:
 * all of them would be of one person.
 * @returns how many were dropped
 */
export async function replaceCookielessIds(items: readonly Item[], salts: Salts): Promise<number> {
  let dropped = 0;
  for (const item of items) {
    const { project, ip } = item.request.capture;
    const { properties } = item.event;
    // nobody is merged with everybody
    if (properties.$anon_distinct_id === COOKIELESS_ID) delete properties.$anon_distinct_id;
    if (project.isCookieless && isOfNobody(item)) {
      putId(item, await salts.today(), text(properties.$ip) || ip);
    } else if (item.event.distinctId === COOKIELESS_ID) {
      item.outcome = { uuid: item.event.uuid, result: 'drop', details: 'cookieless_off' };
      dropped += 1;
    }
  }
  return dropped;
}

/** The id is `cookieless_` and HMAC-SHA256(salt, project, address, user agent, host); the salt is gone after its day. */
function putId({ event, request }: Item, salt: Buffer, ip: string): void {
  const { properties } = event;
  const of = [request.capture.project.id, ip, text(properties.$raw_user_agent), hostOf(properties)];
  const hash = createHmac('sha256', salt).update(JSON.stringify(of)).digest();
  event.distinctId = `cookieless_${hash.subarray(0, 16).toString('base64url')}`;
  // one session a day, unless the page knows better
  properties.$session_id ??= sessionOf(hash.subarray(16));
  // no profile is made of somebody who is forgotten tomorrow
  properties.$process_person_profile = false;
  // what the id was computed from, and what could stand for it
  for (const name of ['$ip', '$raw_user_agent', '$device_id']) delete properties[name];
}

function hostOf(properties: Item['event']['properties']): string {
  const host = text(properties.$host);
  if (host !== '') return host;
  return URL.parse(text(properties.$current_url))?.host ?? '';
}

/** A UUID of version 8 (RFC 9562), whose bits have no meaning. */
function sessionOf(bytes: Buffer): string {
  const own = Buffer.from(bytes);
  own.writeUInt8((own.readUInt8(6) & 0x0f) | 0x80, 6);
  own.writeUInt8((own.readUInt8(8) & 0x3f) | 0x80, 8);
  return own.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
