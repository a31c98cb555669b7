import type { ReadProperties } from '../ports/events.js';
import type { DeviceProperties } from './device-properties.js';

/** Properties that no stage of the pipeline changes, encoded already. */
export interface PlainProperties extends ReadProperties {
  /** What they say about the person and the device, if the event may change the person. */
  device(): DeviceProperties;
}
