import { describe, expect, test } from 'vitest';
import { fakeNode } from '../testing/fake-node.js';
import { startClient } from '../testing/start-client.js';

const ROUTE = '/i/v0/ai/batch/';

function start(...args: Parameters<typeof startClient>) {
  const started = startClient(...args);
  const batches = (path: string) =>
    started.node.requestsTo(path).map(({ body }) => (body as { batch: Record<string, unknown>[] }).batch);
  return { ...started, ai: () => batches(ROUTE).flat(), batches };
}

describe('events about AI', () => {
  test('AI-1 AI-2 only captureAiEvent sends to their endpoint, whatever the name of the event', async () => {
    const { client, sent, ai } = start();
    const uuid = client.captureAi({ distinctId: 'user-123', event: '$ai_generation', properties: { $ai_model: 'small' } });
    client.capture({ distinctId: 'user-123', event: '$ai_generation' });
    client.capture({ distinctId: 'user-123', event: 'other' });
    await client.flush();
    expect(ai()).toMatchObject([
      {
        event: '$ai_generation',
        uuid,
        timestamp: '2025-01-01T00:00:00.000Z',
        properties: { $ai_model: 'small', $is_server: true },
      },
    ]);
    expect(sent().map(({ event }) => event)).toEqual(['$ai_generation', 'other']);
  });

  test('AI-1 hooks and consent apply to them, and nothing throws', async () => {
    const { client, node } = start({ before_send: () => null });
    expect(client.captureAi({ distinctId: 'user-123', event: '$ai_generation' })).toBeNull();
    expect(client.captureAi({ event: '$ai_generation' })).toBeNull();
    expect(client.captureAi(undefined as never)).toBeNull();
    expect(client.captureAi({ distinctId: 'user-123', event: 'order placed' })).toBeNull();
    client.optOut();
    expect(client.captureAi({ distinctId: 'user-123', event: '$ai_generation' })).toBeNull();
    await client.flush();
    expect(node.requests).toEqual([]);
  });

  test('AI-3 they have their own queue, and a retry sends them unchanged', async () => {
    const node = fakeNode();
    node.answer(ROUTE, { status: 503 }, {});
    const { client, sent, batches } = start({}, node);
    client.captureAi({ distinctId: 'user-123', event: '$ai_generation' });
    client.capture({ distinctId: 'user-123', event: 'other' });
    await client.flush();
    expect(sent()).toHaveLength(1);
    await client.shutdown();
    const [first, second, ...more] = batches(ROUTE);
    expect(second).toEqual(first);
    expect(more).toEqual([]);
  });

  test('AI-3 one that is too large is dropped, and the warning has its name and size, not its content', async () => {
    const { client, node } = start();
    const secret = 'secret'.repeat(1_500_000);
    expect(client.captureAi({ distinctId: 'user-123', event: '$ai_generation', properties: { secret } })).toBeNull();
    await client.flush();
    expect(node.requests).toEqual([]);
    expect(node.warnings()).toEqual([expect.stringMatching(/\$ai_generation, 900\d+ bytes/)]);
    expect(node.warnings().join()).not.toContain('secret');
  });
});
