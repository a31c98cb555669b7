import type { CapturedEvent } from '@tidemark/client';
import { isRecord } from '@tidemark/client';
import { createNodeClient } from '../create-node-client.js';
import type { NodeClient } from '../node-client.js';
import type { NodeOptions } from '../node-options.js';
import { type FakeNode, fakeNode } from './fake-node.js';

export interface StartedClient {
  client: NodeClient;
  node: FakeNode;
  /** All events that were sent, in their order. */
  sent(): CapturedEvent[];
  /** Sends what is queued, and gives all events that were sent. */
  flushed(): Promise<CapturedEvent[]>;
}

export const PROJECT_KEY = 'tmk_0123456789abcdef';

export function startClient(options: Partial<NodeOptions> = {}, node: FakeNode = fakeNode()): StartedClient {
  const client = createNodeClient(
    PROJECT_KEY,
    { host: 'http://tidemark', flushAt: 1_000, disableCompression: true, ...options },
    node,
  );
  const sent = () => node.requestsTo('/batch/').flatMap(({ body }) => (isRecord(body) ? (body['batch'] as CapturedEvent[]) : []));
  return {
    client,
    node,
    sent,
    flushed: async () => {
      await client.flush();
      return sent();
    },
  };
}

/** An answer of the service to a question about flags. */
export const flagsAnswer = (
  values: Record<string, boolean | string>,
  { payloads = {}, ...more }: { payloads?: Record<string, string> } & Record<string, unknown> = {},
) => ({
  body: {
    flags: Object.fromEntries(
      Object.entries(values).map(([key, value], i) => [
        key,
        {
          key,
          enabled: value !== false,
          variant: typeof value === 'string' ? value : null,
          reason: { code: 'condition_match', condition_index: 0, description: 'Matched condition set 1' },
          metadata: { id: i + 1, version: 3, description: null, payload: payloads[key] ?? null },
        },
      ]),
    ),
    errorsWhileComputingFlags: false,
    requestId: 'request-1',
    evaluatedAt: 1_735_689_600_000,
    ...more,
  },
});
