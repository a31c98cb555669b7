import type { Client } from './client.js';
import type { Log } from './platform.js';

type Missing = Pick<
  Client,
  'captureException' | 'addExceptionStep' | 'startSessionRecording' | 'stopSessionRecording' | 'isSessionReplayActive'
>;

/** Placeholders for the methods of optional features: each does nothing, and logs once which feature it needs. */
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
