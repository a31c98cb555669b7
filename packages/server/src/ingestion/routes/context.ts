import { Counter } from 'prom-client';
import type { ProjectByKey } from '../../auth/index.js';
import type { Deps } from '../../deps.js';
import { createDecode, type Decode, SdkError } from '../../http/sdk/index.js';
import type { Intake } from '../capture.js';
import { createHistoryReader, type ReadHistory } from '../decode/index.js';
import { createDecodeScheduler, type DecodeScheduler } from './decode-scheduler.js';

/** Bytes of bodies, mostly compressed, decoded per turn of the event loop: about 5 ms. */
const DECODED_PER_TURN = 48 * 1024;
/** Decoded events that may wait for the stores: enough for the next group. */
const DECODED_AHEAD = 1_000;

/** Shared context of the capture routes. */
export interface CaptureContext {
  deps: Deps;
  intake: Intake;
  decode: Decode;
  /** To await before a body is decoded. */
  scheduleDecode: DecodeScheduler;
  readHistory: ReadHistory;
  /** @throws SdkError unknown_token */
  projectOf: (token: string) => Promise<ProjectByKey>;
  /** Counts a refused request, or an event dropped while decoding, by reason. */
  countRefusal: (reason: string) => void;
}

export function createCaptureContext(deps: Deps): CaptureContext {
  const { intake, projectKeys, zstd } = deps.services;
  const readHistory = createHistoryReader(deps.events.codec);
  const refused = new Counter({
    name: 'tidemark_capture_refused_total',
    help: 'Capture requests refused, and events dropped while decoding, by reason',
    labelNames: ['reason'],
    registers: [deps.metrics],
  });
  return {
    deps,
    intake,
    decode: createDecode({ scheduler: deps.scheduler, zstd }),
    scheduleDecode: createDecodeScheduler(DECODED_PER_TURN, deps.scheduler, (isLarge) => {
      const { waitingEvents, liveEvents } = intake.state();
      return (isLarge ? waitingEvents : liveEvents) >= DECODED_AHEAD;
    }),
    readHistory: (bytes, decoding) => readHistory(bytes, { ...decoding, scheduler: intake.background }),
    projectOf: async (token) => {
      const project = await projectKeys.find(token);
      if (!project) throw new SdkError('unknown_token');
      return project;
    },
    countRefusal: (reason) => refused.labels(reason).inc(),
  };
}
