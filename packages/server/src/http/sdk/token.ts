import { isObject, type Json, type JsonObject } from '../../kernel/json.js';
import { SdkError } from './sdk-error.js';

const MAX_BYTES = 64;
/** Secret keys: ours, and those of the product that many SDKs were made for. */
const SECRET = /^(?:tms|phx)_/;

/**
 * The project key without surrounding white space.
 * @throws SdkError malformed_token with the reason's word in the sentence
 */
export function checkToken(text: string): string {
  const token = text.trim();
  if (token === '') throw malformed('empty', 'it is blank');
  if (SECRET.test(token)) {
    throw malformed(
      'personal_api_key',
      'this is a secret personal API key. Use the project API key (it starts with "tmk_") and revoke this one if it was published',
    );
  }
  if (token.includes('\0') || token.includes('\ufffd')) throw malformed('null_byte', 'it holds a NUL character');
  if (token.length > MAX_BYTES) throw malformed('too_long', `it is longer than ${MAX_BYTES} bytes`);
  for (let i = 0; i < token.length; i++) {
    if (token.charCodeAt(i) > 127) throw malformed('not_ascii', 'it holds characters that are not ASCII');
  }
  return token;
}

const malformed = (word: string, why: string): SdkError =>
  new SdkError('malformed_token', `The project key is malformed (${word}): ${why}.`);

/** The project key an event carries itself, if any. */
export function ownToken(event: JsonObject): string | undefined {
  const own = text(event.token) ?? text(event.$token) ?? text(event.api_key);
  return own ?? (isObject(event.properties) ? text(event.properties.token) : undefined);
}

/** @throws SdkError no_token, malformed_token */
export function requireToken(token: string | undefined): string {
  if (token === undefined) throw new SdkError('no_token');
  return checkToken(token);
}

/** Text that is not empty. */
const text = (value: Json | undefined): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);
