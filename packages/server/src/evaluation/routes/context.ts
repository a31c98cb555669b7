import { Counter } from 'prom-client';
import type { ProjectByKey } from '../../auth/index.js';
import type { Deps } from '../../deps.js';
import { createDecodingMemory, type DecodingMemory, SdkError } from '../../http/sdk/index.js';
import type { JsonObject } from '../../kernel/json.js';
import { createKeptAnswers, type KeptAnswers } from '../answer-cache.js';
import type { Evaluator } from '../evaluator.js';

/** What the routes of this room share. */
export interface FlagsDoor {
  deps: Deps;
  evaluator: Evaluator;
  kept: KeptAnswers;
  memory: DecodingMemory;
  /** @throws SdkError unknown_token */
  projectOf: (token: string) => Promise<ProjectByKey>;
  /** What is known of the place of an address. */
  locate: (ip: string) => JsonObject | null;
  /** Counts a refused request by its reason. */
  countRefusal: (reason: string) => void;
}

export function createFlagsDoor(
  deps: Deps,
  evaluator: Evaluator,
  projectByKey: (key: string) => Promise<ProjectByKey | null>,
): FlagsDoor {
  const refused = new Counter({
    name: 'tidemark_flags_refused_total',
    help: 'Flags requests refused, by reason',
    labelNames: ['reason'],
    registers: [deps.metrics],
  });
  return {
    deps,
    evaluator,
    kept: createKeptAnswers(deps.services.caches),
    memory: createDecodingMemory(),
    projectOf: async (token) => {
      const project = await projectByKey(token);
      if (!project) throw new SdkError('unknown_token');
      return project;
    },
    locate: deps.services.locate,
    countRefusal: (reason) => refused.labels(reason).inc(),
  };
}
