import type { RecorderPort, RecorderSettings } from '../ports.js';

/** The native side of a phone, as far as JavaScript sees it. */
export interface FakeRecorder {
  recorder: Required<RecorderPort>;
  /** What it was told, in order: settings, how it was stopped, names of events. */
  told: ({ start: RecorderSettings } | { stop: { discard: boolean } } | { event: string })[];
  started(): RecorderSettings[];
  /** May be changed: some begin by themselves. */
  records: boolean;
  /** While false it does not begin to record, and does not say so. */
  obeys: boolean;
  /** While this is set, calls reject with it. */
  broken: Error | undefined;
}

export function createRecorder(): FakeRecorder {
  const work = async (note: FakeRecorder['told'][number], records: boolean) => {
    if (fake.broken) throw fake.broken;
    await Promise.resolve();
    fake.told.push(note);
    fake.records = records && fake.obeys;
  };
  const fake: FakeRecorder = {
    told: [],
    started: () => fake.told.flatMap((note) => ('start' in note ? [note.start] : [])),
    records: false,
    obeys: true,
    broken: undefined,
    recorder: {
      start: (settings) => work({ start: settings }, true),
      stop: (how) => work({ stop: how }, false),
      isRecording: async () => fake.records,
      eventCaptured: async (event) => void fake.told.push({ event }),
    },
  };
  return fake;
}
