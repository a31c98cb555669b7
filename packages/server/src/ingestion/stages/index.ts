import { checkPersonProcessing, checkTimestamp, dropClientWarning, dropForeignEvent } from './checks.js';
import { putElementsChain } from './elements-chain.js';
import type { Stage } from './event-context.js';
import { clearGroupKeys, putGeoip, putIp, putPersonProperties, splitHeatmap } from './properties.js';

export { createEventContext, type EventContext, type Rejection, type Stage, type StageEnv, warn } from './event-context.js';

export { isPlainEvent, isPlainName, putPlain, SELECTED_NAMES } from './plain.js';
export { isOnServer } from './properties.js';

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
