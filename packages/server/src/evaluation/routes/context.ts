import { Counter } from 'prom-client';
import type { ProjectByKey } from '../../auth/index.js';
import type { Deps } from '../../deps.js';
import { createDecode, type Decode, SdkError } from '../../http/sdk/index.js';
import type { JsonObject } from '../../kernel/json.js';
import type { Evaluator } from '../evaluator.js';
import { createFlagResponseCache, type FlagResponseCache } from '../response-cache.js';

/** Shared context of the flags routes. */
export interface FlagsContext {
  deps: Deps;
  evaluator: Evaluator;
  responses: FlagResponseCache;
  decode: Decode;
  /** @throws SdkError unknown_token */
  projectOf: (token: string) => Promise<ProjectByKey>;
  /** GeoIP properties of an address; null: unknown. */
  locate: (ip: string) => JsonObject | null;
  /** Counts a refused request by its reason. */
  countRefusal: (reason: string) => void;
}

/** Finds projects by their public keys. */
export const projectFinder =
  ({ services }: Pick<Deps, 'services'>): FlagsContext['projectOf'] =>
  async (token) => {
    const project = await services.projectKeys.find(token);
    if (!project) throw new SdkError('unknown_token');
    return project;
  };

export function createFlagsContext(deps: Deps, evaluator: Evaluator): FlagsContext {
  const { caches, locate, zstd } = deps.services;
  const refused = new Counter({
    name: 'tidemark_flags_refused_total',
    help: 'Flags requests refused, by reason',
    labelNames: ['reason'],
    registers: [deps.metrics],
  });
  return {
    deps,
    evaluator,
    responses: createFlagResponseCache(caches),
    decode: createDecode({ scheduler: deps.scheduler, zstd }),
    projectOf: projectFinder(deps),
    locate,
    countRefusal: (reason) => refused.labels(reason).inc(),
  };
}
