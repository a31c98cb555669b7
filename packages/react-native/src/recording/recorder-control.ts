import type { Log, Timers } from '@tidemark/client';
import { patiently } from '../patiently.js';
import type { RecorderPort, RecorderSettings } from '../ports.js';

/** Starts and stops a recorder, and repeats the last command until the recorder has carried it out. */
export interface RecorderControl {
  record(settings: RecorderSettings): void;
  stop(how: { discard: boolean }): void;
  /** Unsent recorded data must be dropped. */
  discard(): void;
  eventCaptured(event: string): void;
  /** Checks whether the recorder carried out the last command, and repeats it if not. */
  check(): void;
  /** Whether the last command was to record, and the recorder did not. */
  isRefusing(): boolean;
  /** Ends the checks. */
  end(): void;
}

/** Recorders load the project's settings before they record, and some then start by themselves. */
const CHECK_AFTER_MS = [1000, 2000, 4000, 8000, 16_000];
/** Native code that does not answer is not waited for longer. */
const PATIENCE_MS = 10_000;

/** Calls the recorder one command after the other, and checks for a while whether it carries the last one out. */
export function controlRecorder(recorder: RecorderPort, timers: Timers, log: Log): RecorderControl {
  let order: { call: () => Promise<unknown>; isRecord: boolean } | undefined;
  let working: Promise<unknown> = Promise.resolve();
  let timer: unknown;
  let refusing = false;
  let ended = false;
  /** It may have something that was not sent. */
  let hasData = false;

  const next = (work: () => Promise<unknown>) => {
    working = working
      .then(() => patiently(work(), PATIENCE_MS, timers))
      .catch((error) => log.warn('The recorder given to init failed:', error));
  };
  const verify = async (isLast: boolean) => {
    const given = order;
    const does = await recorder.isRecording?.();
    if (!given || given !== order || does === undefined) return;
    refusing = given.isRecord && !does && (refusing || isLast);
    if (refusing)
      log.warn('startSessionRecording: the recorder given to init does not record. Check that its native module is installed.');
    if (does !== given.isRecord) await given.call();
  };
  const check = (step = 0) => {
    timers.clear(timer);
    const wait = CHECK_AFTER_MS[step];
    if (!order || ended || !recorder.isRecording || wait === undefined) return;
    timer = timers.set(() => {
      next(() => verify(step + 1 === CHECK_AFTER_MS.length));
      check(step + 1);
    }, wait);
  };
  const give = (isRecord: boolean, run: () => Promise<void> | void) => {
    const call = async () => {
      try {
        await run();
      } catch (error) {
        refusing ||= isRecord;
        throw error;
      }
    };
    order = { call, isRecord };
    refusing = false;
    next(call);
    check();
  };

  const stop = (how: { discard: boolean }) => {
    hasData &&= !how.discard;
    give(false, () => recorder.stop(how));
  };

  return {
    record(settings) {
      hasData = true;
      give(true, () => recorder.start(settings));
    },
    stop,
    discard() {
      if (hasData) stop({ discard: true });
    },
    eventCaptured(event) {
      if (recorder.eventCaptured) next(async () => recorder.eventCaptured?.(event));
    },
    check: () => check(),
    isRefusing: () => refusing,
    end() {
      ended = true;
      timers.clear(timer);
    },
  };
}
