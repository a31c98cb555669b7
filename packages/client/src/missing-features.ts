import type { Client } from './client.js';
import type { Log } from './platform.js';

type Missing = Pick<
  Client,
  'captureException' | 'addExceptionStep' | 'startSessionRecording' | 'stopSessionRecording' | 'isSessionReplayActive'
>;

/** Methods of features that a client may do without: they do nothing, and say so once. */
export function missingFeatures(log: Log): Missing {
  const needs = (method: string, feature: string) => (): undefined => void log.warn(`${feature}:${method}`);
  return {
    captureException: needs('captureException', 'exceptions'),
    addExceptionStep: needs('addExceptionStep', 'exceptions'),
    startSessionRecording: needs('startSessionRecording', 'replay'),
    stopSessionRecording: () => {},
    isSessionReplayActive: () => false,
  };
}
