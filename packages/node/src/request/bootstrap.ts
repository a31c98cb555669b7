import type { Bootstrap } from '@tidemark/client';
import type { BootstrapOptions, NodeClient } from '../node-client.js';
import { identityOf } from './identity-cookie.js';
import type { RequestHeaders } from './request-headers.js';

interface Ports {
  apiKey: string;
  newId(): string;
  flags: Pick<NodeClient, 'getFeatureFlagsAndPayloads'>;
}

/** Makes `getBootstrap`. */
export function createBootstrap({ apiKey, newId, flags }: Ports): NodeClient['getBootstrap'] {
  return async (who: string | { headers: RequestHeaders }, given?: BootstrapOptions): Promise<Bootstrap> => {
    const { instance, ...options } = given ?? {};
    if (typeof who === 'string') {
      return { distinctId: who, isIdentifiedId: true, ...(await flags.getFeatureFlagsAndPayloads(who, options)) };
    }
    const { a, d, v, i } = identityOf(who?.headers ?? {}, apiKey, instance) ?? { a: newId() };
    const distinctId = d ?? a;
    const found = await flags.getFeatureFlagsAndPayloads(distinctId, { deviceId: v ?? a, ...options });
    return { distinctId, isIdentifiedId: i === 1, ...found };
  };
}
