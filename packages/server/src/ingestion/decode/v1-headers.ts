import type { IncomingHttpHeaders } from 'node:http';
import type { CaptureV1Headers } from '@tidemark/wire';
import { checkToken, type Encoding } from '../../http/sdk/index.js';
import { parseUuid } from '../../kernel/ids.js';
import { parseRfc3339 } from './parse-time.js';
import { V1Refusal } from './v1-refusal.js';

/** The decoded headers of a v1 request. */
export interface V1Head {
  token: string;
  lib: string;
  libVersion: string;
  /** Epoch milliseconds by the client's clock, at sending. */
  sentAt: number;
  encoding: Encoding | null;
}

const REQUIRED = [
  'authorization',
  'content-type',
  'posthog-sdk-info',
  'posthog-attempt',
  'posthog-request-id',
  'posthog-request-timestamp',
] as const satisfies (keyof CaptureV1Headers)[];

const BEARER = /^bearer(?:\s+(.*))?$/i;
const SDK_INFO = /^([^/\s]+)\/(\S+)$/;
const ENCODINGS = ['gzip', 'deflate', 'br', 'zstd'] as const satisfies Encoding[];
/** Supported encodings of bodies, for the `Accept-Encoding` of error responses. */
export const ACCEPTED_ENCODINGS = ENCODINGS.join(', ');

/**
 * Checks the headers of a v1 request.
 * @throws V1Refusal missing_required_headers, invalid_header_value, unsupported_content_type, unsupported_encoding
 * @throws SdkError malformed_token
 */
export function readV1Head(headers: IncomingHttpHeaders): V1Head {
  const missing: string[] = [...REQUIRED, 'user-agent'].filter((name) => !headers[name]);
  if (missing.length > 0) throw new V1Refusal('missing_required_headers', `Missing required headers: ${missing.join(', ')}.`);
  const bearer = BEARER.exec(one(headers, 'authorization'));
  if (!bearer) throw invalid('Authorization', '"Bearer <project API key>"');
  const token = checkToken(bearer[1] ?? '');

  const sdk = SDK_INFO.exec(one(headers, 'posthog-sdk-info'));
  if (!sdk) throw invalid('PostHog-Sdk-Info', '<lib>/<version>');
  if (!/^[1-9]\d{0,8}$/.test(one(headers, 'posthog-attempt'))) throw invalid('PostHog-Attempt', 'a whole number from 1');
  if (parseUuid(one(headers, 'posthog-request-id')) === null) throw invalid('PostHog-Request-Id', 'a UUID');
  const sentAt = parseRfc3339(one(headers, 'posthog-request-timestamp'));
  if (sentAt === null) throw invalid('PostHog-Request-Timestamp', 'an RFC 3339 time');

  const type = one(headers, 'content-type').split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json') throw new V1Refusal('unsupported_content_type', 'The content type must be application/json.');
  return { token, lib: sdk[1] ?? '', libVersion: sdk[2] ?? '', sentAt, encoding: encodingOf(headers['content-encoding']) };
}

function encodingOf(header: string | undefined): Encoding | null {
  const name = header?.trim().toLowerCase() ?? '';
  if (name === '' || name === 'identity') return null;
  const encoding = ENCODINGS.find((known) => known === name);
  if (!encoding) {
    throw new V1Refusal('unsupported_encoding', `Bodies may be encoded with ${ACCEPTED_ENCODINGS}, or not at all.`);
  }
  return encoding;
}

const one = (headers: IncomingHttpHeaders, name: string): string => String(headers[name] ?? '').trim();

const invalid = (header: string, rule: string): V1Refusal =>
  new V1Refusal('invalid_header_value', `The header ${header} must be ${rule}.`);
