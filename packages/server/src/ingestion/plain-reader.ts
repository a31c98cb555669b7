import type { JsonObject } from '../kernel/json.js';
import type { PropertiesCodec, PropertyNames, ReadProperties } from '../ports/events.js';
import { type DeviceProperties, deviceMaskOf, devicePropertiesOf, NO_DEVICE_PROPERTIES } from './device-properties.js';
import type { PlainProperties } from './plain-properties.js';
import { isOnServer, isPlainEvent, isPlainName, SELECTED_NAMES } from './stages/index.js';

/** What is known of all properties with the same names. */
interface Shape {
  isPlain: boolean;
  /** Device properties of events of pages, and of servers. */
  masks: { page: number; server: number };
}

/** Makes the function that reads plain properties from JSON text, which begins at `at`. Null: they have to be parsed. */
export function createPlainReader(codec: PropertiesCodec) {
  const read = codec.reader(SELECTED_NAMES);
  const shapes = new WeakMap<PropertyNames, Shape>();

  return (event: JsonObject, at: number, bytes: Buffer): PlainProperties | null => {
    if (!isPlainEvent(event.event)) return null;
    const properties = read(bytes, at);
    if (!properties) return null;
    let shape = shapes.get(properties.names);
    if (!shape) {
      shape = shapeOf(properties.names);
      shapes.set(properties.names, shape);
    }
    if (!shape.isPlain) return null;
    const onServer = isOnServer(properties.selected);
    const mask = onServer ? shape.masks.server : shape.masks.page;
    const { encoded, names, selected, end, parse } = properties;
    const device = () => (mask === 0 ? NO_DEVICE_PROPERTIES : lazyDevice(properties, mask, onServer));
    return { encoded, names, selected, end, parse, device };
  };
}

function shapeOf({ list }: PropertyNames): Shape {
  const filled = list.filter(({ isNull }) => !isNull).map(({ name }) => name);
  return {
    isPlain: list.every(isPlainName),
    masks: { page: deviceMaskOf(filled, false), server: deviceMaskOf(filled, true) },
  };
}

/** The values are read by few: most persons have all of them. */
function lazyDevice(properties: ReadProperties, mask: number, onServer: boolean): DeviceProperties {
  let values: JsonObject | null = null;
  return {
    mask,
    get values() {
      values ??= devicePropertiesOf(properties.parse(), onServer).values;
      return values;
    },
  };
}
