import type { Properties } from './event.js';

/**
 * Layers of properties as one object, the later ones winning. It is made anew only when one of the layers says something else than before:
 * engines copy an object many times faster than they put one together, and each event takes a copy.
 */
export function layered(): (layers: readonly (Properties | undefined)[]) => Properties {
  let known: readonly (Properties | undefined)[] = [];
  let made: Properties = {};
  return (layers) => {
    if (!layers.every((layer, at) => same(layer, known[at]))) {
      made = Object.assign({}, ...layers);
      try {
        // the kind that is copied fastest
        made = JSON.parse(JSON.stringify(made));
      } catch {
        // what JSON cannot say is seen to when the event is written
      }
    }
    known = layers;
    return made;
  };
}

function same(one: Properties = {}, other: Properties = {}): boolean {
  if (one === other) return true;
  for (const name in one) if (one[name] !== other[name]) return false;
  for (const name in other) if (!(name in one)) return false;
  return true;
}
