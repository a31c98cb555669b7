/** A request designed to be as expensive as possible. */
export interface WorstRequest {
  /** The parser under attack, and the method. */
  name: string;
  method: 'GET' | 'POST' | 'PATCH';
  path: string;
  /** Where the key is sent: in the header, in the body, or nowhere. */
  as: 'personal' | 'project' | 'nobody';
  headers?: Record<string, string>;
  /** Some requests have another one each time it is read: a repeated change would change nothing. */
  readonly body?: Buffer;
}

export const MIB = 1024 * 1024;
export const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));
export const JSON_TYPE = { 'content-type': 'application/json' };
export const json = (text: string | object) => ({
  headers: JSON_TYPE,
  body: Buffer.from(typeof text === 'string' ? text : JSON.stringify(text)),
});

/** A query of a person at a screen. */
export const worstQuery = (name: string, query: object): WorstRequest => ({
  name,
  method: 'POST',
  path: '/api/environments/@current/query/',
  as: 'personal',
  ...json({ query }),
});

/** A request of an SDK, with these bytes as its body. */
export const captured = (
  name: string,
  body: Buffer,
  headers: Record<string, string> = JSON_TYPE,
  path = '/batch/',
): WorstRequest => ({
  name,
  method: 'POST',
  path,
  as: 'project',
  headers,
  body,
});
