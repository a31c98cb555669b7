import { eventRow } from './events-contract/index.js';

const withProperties = (text: string) => JSON.stringify(eventRow()).replace('"properties":{}', `"properties":${text}`);

/** Lines that the table of events cannot take, and what is wrong with them. */
export const UNFIT_LINES: readonly (readonly [what: string, line: string])[] = [
  ['a uuid that is none', JSON.stringify(eventRow({ uuid: 'secret-uuid' }))],
  ['properties that are no object', withProperties('"secret"')],
  ['a line that breaks off', JSON.stringify(eventRow()).slice(0, -20)],
  ['a number outside of all ranges', withProperties('{"secret":1e999}')],
  ['half of a surrogate pair', withProperties('{"secret":"\\ud800"}')],
  ['depth without end', withProperties(`{"secret":${'['.repeat(5000)}${']'.repeat(5000)}}`)],
  ['bytes that are no JSON', 'secret'],
  ['bytes that are no text', '\u0000\u0001'],
];
