import { gzipSync } from 'node:zlib';
import type { EventMaker } from '@tidemark/testkit';

/** A raw capture request with a gzipped batch, as server SDKs send it. */
export function batchRequest(projectKey: string, make: EventMaker, size: number): Buffer {
  const batch = Array.from({ length: size }, () => make());
  const body = gzipSync(JSON.stringify({ api_key: projectKey, batch, sent_at: new Date().toISOString() }), { level: 1 });
  return request('POST', '/batch/', 'Content-Type: application/json\r\nContent-Encoding: gzip', body);
}

/** A raw capture request with one event as plain JSON. */
export function singleRequest(projectKey: string, make: EventMaker): Buffer {
  return request('POST', '/capture/', JSON_TYPE, Buffer.from(JSON.stringify({ api_key: projectKey, ...make() })));
}

/** A raw REST request, with a personal key or without credentials; `more` headers end with CRLF. */
export function apiRequest(method: 'GET' | 'POST', path: string, key: string | null, body?: object, more = ''): Buffer {
  const headers = `${more}${key ? `Authorization: Bearer ${key}\r\n` : ''}${JSON_TYPE}`;
  return request(method, path, headers, body ? Buffer.from(JSON.stringify(body)) : Buffer.alloc(0));
}

/** A browser's raw request for a person's flags. */
export function flagsRequest(projectKey: string, distinctId: string, deviceId = distinctId): Buffer {
  const person_properties = { $initial_referrer: '$direct', $lib: 'web', $lib_version: '1.434.18' };
  const body = {
    token: projectKey,
    distinct_id: distinctId,
    groups: {},
    person_properties,
    timezone: 'Europe/Berlin',
    $device_id: deviceId,
  };
  return request('POST', '/flags/?v=2', 'Content-Type: text/plain', gzipSync(JSON.stringify(body)));
}

const JSON_TYPE = 'Content-Type: application/json';

function request(method: string, path: string, headers: string, body: Buffer): Buffer {
  const head = `${method} ${path} HTTP/1.1\r\nHost: localhost\r\n${headers}\r\nContent-Length: ${body.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), body]);
}

/** Returns each request once, then null. */
export function eachOnce(requests: readonly Buffer[]): () => Buffer | null {
  let at = 0;
  return () => requests[at++] ?? null;
}

/** Cycles through the requests. */
export function inTurn(requests: readonly Buffer[]): () => Buffer | null {
  let at = 0;
  return () => requests[at++ % requests.length] ?? null;
}
