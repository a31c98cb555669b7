import type { Log, Timers } from '@tidemark/client';
import { patiently } from '../patiently.js';
import type { RecorderPort, RecorderSettings } from '../ports.js';

/** A recorder that does in the end what it was told last. */
export interface Obedience {
  record(settings: RecorderSettings): void;
  rest(how: { discard: boolean }): void;
  /** What it recorded and may not have sent is to be thrown away. */
  discard(): void;
  eventCaptured(event: string): void;
  /** Looks whether it does what it was told; if not, it is told again. */
  look(): void;
  /** Whether it was told to record and could not. */
  isRefusing(): boolean;
  /** Looks no more. */
  end(): void;
}

/** Recorders have to learn what the project says before they record, and some then begin by themselves. */
const LOOK_AFTER_MS = [1000, 2000, 4000, 8000, 16_000];
/** Native code that does not answer is not waited for longer. */
const PATIENCE_MS = 10_000;

/** Calls a recorder one call after the other, and looks for a while whether it does what it was told. */
export function obedient(recorder: RecorderPort, timers: Timers, log: Log): Obedience {
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
      .catch((error) => log.warn('The recorder of the app failed:', error));
  };
  const check = async (isLast: boolean) => {
    const given = order;
    const does = await recorder.isRecording?.();
    if (!given || given !== order || does === undefined) return;
    refusing = given.isRecord && !does && (refusing || isLast);
    if (refusing) log.warn('The recorder of the app does not record.');
    if (does !== given.isRecord) await given.call();
  };
  const look = (step = 0) => {
    timers.clear(timer);
    const wait = LOOK_AFTER_MS[step];
    if (!order || ended || !recorder.isRecording || wait === undefined) return;
    timer = timers.set(() => {
      next(() => check(step + 1 === LOOK_AFTER_MS.length));
      look(step + 1);
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
    look();
  };

  const rest = (how: { discard: boolean }) => {
    hasData &&= !how.discard;
    give(false, () => recorder.stop(how));
  };

  return {
    record(settings) {
      hasData = true;
      give(true, () => recorder.start(settings));
    },
    rest,
    discard() {
      if (hasData) rest({ discard: true });
    },
    eventCaptured(event) {
      if (recorder.eventCaptured) next(async () => recorder.eventCaptured?.(event));
    },
    look: () => look(),
    isRefusing: () => refusing,
    end() {
      ended = true;
      timers.clear(timer);
    },
  };
}
