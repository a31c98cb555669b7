import type { Properties } from './event.js';

/**
 * What stands on every event, as one object, of layers the later of which win. It is made anew only when one of its parts is another one than
 * before: engines copy an object many times faster than they put one together, and each event takes a copy.
 */
export function createStanding(): (parts: readonly unknown[], layers: () => readonly (Properties | undefined)[]) => Properties {
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
        // what JSON cannot say is seen to when the event is written
      }
    }
    return made;
  };
}
