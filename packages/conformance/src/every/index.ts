import type { StartCommon } from '../drivers/driver.js';
import { captureContract } from './capture.js';
import { deliveryContract } from './delivery.js';
import { exceptionsContract } from './exceptions.js';
import { flagsContract } from './flags.js';

/** Behaviours of all clients, including the server SDK. */
export function everyContract(start: StartCommon): void {
  captureContract(start);
  deliveryContract(start);
  flagsContract(start);
  exceptionsContract(start);
}
