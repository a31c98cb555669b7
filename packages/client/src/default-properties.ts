import type { Properties } from './event.js';

/**
 * Merges the properties that every event has into one object; later layers win. The object is built again only when one of the parts is not
 * the same as before: engines copy an object many times faster than they merge several, and each event takes a copy.
 */
export function createDefaultProperties(): (
  parts: readonly unknown[],
  layers: () => readonly (Properties | undefined)[],
) => Properties {
  let known: readonly unknown[] = [];
  let made: Properties = {};
  return (parts, layers) => {
    if (parts.some((part, at) => part !== known[at])) {
      known = parts;
      made = Object.assign({}, ...layers());
      try {
        // a JSON round trip gives the object V8's fast shape, which spreads several times faster
        made = JSON.parse(JSON.stringify(made));
      } catch {
        // `eventJson` handles values that JSON does not know
      }
    }
    return made;
  };
}
