import type { Start } from '../drivers/driver.js';
import { bootstrapContract } from './bootstrap.js';
import { bootstrappedFlagsContract } from './bootstrapped-flags.js';
import { personCaptureContract } from './capture.js';
import { consentContract } from './consent.js';
import { exceptionStepsContract } from './exception-steps.js';
import { personFlagsContract } from './flags.js';
import { identityContract } from './identity.js';
import { personsAndGroupsContract } from './persons-and-groups.js';
import { recordingContract } from './recording.js';
import { remoteConfigContract } from './remote-config.js';
import { resetContract } from './reset.js';
import { sessionsAndStorageContract } from './sessions-and-storage.js';
import { surveysContract } from './surveys.js';

export { setupContract } from './setup.js';

/** Behaviours of the clients of one person (browser, React Native). */
export function personContract(start: Start): void {
  personCaptureContract(start);
  identityContract(start);
  personsAndGroupsContract(start);
  resetContract(start);
  bootstrapContract(start);
  consentContract(start);
  sessionsAndStorageContract(start);
  bootstrappedFlagsContract(start);
  personFlagsContract(start);
  remoteConfigContract(start);
  recordingContract(start);
  exceptionStepsContract(start);
  surveysContract(start);
}
