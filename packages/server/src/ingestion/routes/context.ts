import { Counter } from 'prom-client';
import type { ProjectByKey } from '../../auth/index.js';
import type { Deps } from '../../deps.js';
import { createDecodingMemory, type DecodingMemory, SdkError } from '../../http/sdk/index.js';
import type { Intake } from '../capture.js';
import { createDecodeScheduler, type DecodeScheduler } from './decode-scheduler.js';

/** Bytes of bodies, mostly compressed, that are decoded between two looks at other events of the process: about 5 ms. */
const DECODED_PER_TURN = 48 * 1024;
/** Events that are decoded before the stores can take them: enough for the next group. */
const DECODED_AHEAD = 1_000;

/** What the routes of this room share. */
export interface CaptureContext {
  deps: Deps;
  intake: Pick<Intake, 'capture' | 'state'>;
  memory: DecodingMemory;
  /** To be waited for before a body is decoded. */
  scheduleDecode: DecodeScheduler;
  /** @throws SdkError unknown_token */
  projectOf: (token: string) => Promise<ProjectByKey>;
  /** Counts a refused request, or an event dropped before the pipeline, by its reason. */
  countRefusal: (reason: string) => void;
}

export function createCaptureContext(
  deps: Deps,
  intake: CaptureContext['intake'],
  projectByKey: (key: string) => Promise<ProjectByKey | null>,
): CaptureContext {
  const refused = new Counter({
    name: 'tidemark_capture_refused_total',
    help: 'Capture requests refused, and events dropped while decoding, by reason',
    labelNames: ['reason'],
    registers: [deps.metrics],
  });
  return {
    deps,
    intake,
    memory: createDecodingMemory(),
    scheduleDecode: createDecodeScheduler(DECODED_PER_TURN, deps.scheduler, () => intake.state().waitingEvents >= DECODED_AHEAD),
    projectOf: async (token) => {
      const project = await projectByKey(token);
      if (!project) throw new SdkError('unknown_token');
      return project;
    },
    countRefusal: (reason) => refused.labels(reason).inc(),
  };
}
