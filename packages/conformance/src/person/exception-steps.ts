import { describe, expect, test } from 'vitest';
import type { Start } from '../drivers/driver.js';

export function exceptionStepsContract(start: Start): void {
  const messages = (properties: Record<string, unknown> | undefined) => {
    const list = properties?.['$exception_steps'];
    return Array.isArray(list) ? list.map((step: { $message: string }) => step.$message) : list;
  };

  describe('exception steps', () => {
    test('EXS-1 EXS-3 EXS-8 later exceptions have them in order, with time and properties', async () => {
      const { client, platform, queued } = await start({
        disable_flags: true,
        before_send: (event) => (event.properties['area'] === 'drop' ? null : event),
      });
      client.addExceptionStep('A', { screen: 'cart' });
      await platform.advance(1_000);
      client.addExceptionStep('B');
      client.captureException(new Error('x'), { area: 'drop' });
      client.captureException(new Error('x'));
      client.addExceptionStep('C');
      client.captureException(new Error('y'));
      expect(queued[0]?.properties['$exception_steps']).toEqual([
        { $message: 'A', $timestamp: '2025-01-01T00:00:00.000Z', screen: 'cart' },
        { $message: 'B', $timestamp: '2025-01-01T00:00:01.000Z' },
      ]);
      expect(messages(queued[1]?.properties)).toEqual(['A', 'B', 'C']);
    });

    test('EXS-4 they survive reset and identify, and end with the run', async () => {
      const first = await start({ disable_flags: true });
      first.client.addExceptionStep('A');
      first.client.reset();
      first.client.identify('user-123');
      expect(messages(first.client.captureException(new Error('x'))?.properties)).toEqual(['A']);
      await first.client.shutdown();
      const { client } = await first.restart();
      expect(client.captureException(new Error('y'))?.properties).not.toHaveProperty('$exception_steps');
    });

    test('EXS-2 message and time cannot be overridden, and steps of the caller are used', async () => {
      const { client, platform } = await start();
      client.addExceptionStep('A', { $message: 'B', $timestamp: 'then' });
      expect(client.captureException(new Error('x'))?.properties['$exception_steps']).toEqual([
        { $message: 'A', $timestamp: '2025-01-01T00:00:00.000Z' },
      ]);
      const own = { $exception_steps: ['mine'] };
      expect(client.captureException(new Error('y'), own)?.properties['$exception_steps']).toEqual(['mine']);
      expect(platform.warnings()).toHaveLength(1);
    });

    test('EXS-5 EXS-8 their bytes are limited: the oldest are dropped, and one that is too long is refused', async () => {
      const { client, platform } = await start({ exception_steps: { max_bytes: 260 } });
      for (const name of ['A', 'B', 'C', 'D']) client.addExceptionStep(name, { text: 'é'.repeat(10) });
      client.addExceptionStep('E', { text: 'é'.repeat(100) });
      expect(messages(client.captureException(new Error('x'))?.properties)).toEqual(['B', 'C', 'D']);
      expect(platform.warnings()).toHaveLength(1);
    });

    test('EXS-8 the default limit is 32 KiB of UTF-8 together', async () => {
      const { client, platform } = await start();
      client.addExceptionStep('é'.repeat(16_350));
      expect(messages(client.captureException(new Error('x'))?.properties)).toHaveLength(1);
      client.addExceptionStep('é'.repeat(16_384));
      expect(messages(client.captureException(new Error('x'))?.properties)).toHaveLength(1);
      expect(platform.warnings()).toHaveLength(1);
    });

    test('EXS-6 a step without a message is refused with a warning', async () => {
      const { client, platform } = await start();
      client.addExceptionStep(' ');
      expect(client.captureException(new Error('x'))?.properties).not.toHaveProperty('$exception_steps');
      expect(platform.warnings()).toHaveLength(1);
    });

    test('EXS-6 they can be switched off', async () => {
      const { client } = await start({ exception_steps: { enabled: false } });
      client.addExceptionStep('A');
      expect(client.captureException(new Error('x'))?.properties).not.toHaveProperty('$exception_steps');
      // and no step is stored for later
      client.setConfig({ exception_steps: { enabled: true } });
      expect(client.captureException(new Error('x'))?.properties).not.toHaveProperty('$exception_steps');
    });
  });
}
