import type { ClientLog } from '@tidemark/client';
import { createDefinitionsLoader, type DefinitionsLoader } from '../definitions/definitions-loader.js';
import type { NodeOptions } from '../node-options.js';
import type { NodePlatform } from '../node-platform.js';
import { createFlagEvaluator, type FlagEvaluator } from './flag-evaluator.js';
import { createAskFlags } from './remote-flags.js';

interface Settings {
  apiKey: string;
  host: string;
  options: NodeOptions;
  log: ClientLog;
  /** Nothing is loaded. */
  off: boolean;
}

const POLL_MS = 30_000;
const TIMEOUT_MS = 3_000;
const LOAD_TIMEOUT_MS = 10_000;

/** Where the flags of a client come from. */
export function createFlagSource(
  platform: NodePlatform,
  { apiKey, host, options, log, off }: Settings,
): { evaluator: FlagEvaluator; definitions: DefinitionsLoader | undefined } {
  const { personalApiKey, definitionsCache: cache, evaluationContexts: contexts } = options;
  const isLocal = !off && options.enableLocalEvaluation !== false && Boolean(personalApiKey || cache);
  const definitions = isLocal
    ? createDefinitionsLoader(
        { ...platform, log },
        {
          host,
          apiKey,
          personalApiKey,
          pollEvery: options.featureFlagsPollingInterval ?? POLL_MS,
          timeout: LOAD_TIMEOUT_MS,
          cache,
        },
      )
    : undefined;
  const ask = createAskFlags(
    platform,
    {
      host,
      apiKey,
      timeoutMs: options.featureFlagRequestTimeoutMs ?? TIMEOUT_MS,
      maxRetries: options.featureFlagRequestMaxRetries ?? 1,
      disableGeoip: options.disableGeoip !== false,
      contexts,
    },
    log,
  );
  return { evaluator: createFlagEvaluator({ ask, definitions, contexts, now: platform.clock.now }), definitions };
}
