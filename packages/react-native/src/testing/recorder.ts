import type { RecorderPort, RecorderSettings } from '../ports.js';

/** The native side of a phone, as far as JavaScript sees it. */
export interface FakeRecorder {
  recorder: Required<RecorderPort>;
  /** Calls in order: settings of `start`, argument of `stop`, names of events. */
  calls: ({ start: RecorderSettings } | { stop: { discard: boolean } } | { event: string })[];
  started(): RecorderSettings[];
  /** Whether it records. Tests may set it: some recorders begin by themselves. */
  records: boolean;
  /** While false, `start` silently does nothing. */
  obeys: boolean;
  /** While this is set, calls reject with it. */
  broken: Error | undefined;
}

export function createRecorder(): FakeRecorder {
  const work = async (note: FakeRecorder['calls'][number], records: boolean) => {
    if (fake.broken) throw fake.broken;
    await Promise.resolve();
    fake.calls.push(note);
    fake.records = records && fake.obeys;
  };
  const fake: FakeRecorder = {
    calls: [],
    started: () => fake.calls.flatMap((note) => ('start' in note ? [note.start] : [])),
    records: false,
    obeys: true,
    broken: undefined,
    recorder: {
      start: (settings) => work({ start: settings }, true),
      stop: (how) => work({ stop: how }, false),
      isRecording: async () => fake.records,
      eventCaptured: async (event) => void fake.calls.push({ event }),
    },
  };
  return fake;
}
