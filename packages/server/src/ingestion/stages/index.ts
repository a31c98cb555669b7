import { checkPersonProcessing } from './check-person-processing.js';
import { checkTimestamp } from './check-timestamp.js';
import { clearGroupKeys } from './clear-group-keys.js';
import { dropClientWarning } from './drop-client-warning.js';
import { dropForeignEvent } from './drop-foreign-event.js';
import type { Stage } from './event-context.js';
import { putElementsChain } from './put-elements-chain.js';
import { putGeoip } from './put-geoip.js';
import { putIp } from './put-ip.js';
import { putPersonProperties } from './put-person-properties.js';
import { splitHeatmap } from './split-heatmap.js';

export { createEventContext, type EventContext, type Rejection, type Stage, type StageEnv, warn } from './event-context.js';

/** The stages of every event, in this order. */
export const STAGES: readonly Stage[] = [
  dropForeignEvent,
  dropClientWarning,
  checkPersonProcessing,
  checkTimestamp,
  putIp,
  putGeoip,
  clearGroupKeys,
  splitHeatmap,
  putElementsChain,
  putPersonProperties,
];
