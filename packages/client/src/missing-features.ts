import type { Client } from './client.js';
import type { Log } from './platform.js';

type Missing = Pick<
  Client,
  'captureException' | 'addExceptionStep' | 'startSessionRecording' | 'stopSessionRecording' | 'isSessionReplayActive'
>;

/** Methods of features that a client may do without: they do nothing, and say so once. */
export function missingFeatures(log: Log): Missing {
  const say = () => {
    log.warn('No such feature here.');
    return undefined;
  };
  return {
    captureException: say,
    addExceptionStep: say,
    startSessionRecording: say,
    stopSessionRecording: () => {},
    isSessionReplayActive: () => false,
  };
}
