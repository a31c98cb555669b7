import { createFakePlatform, type FakePlatform } from '@tidemark/client/testing';
import type { ProcessPort } from '../exceptions/process-exceptions.js';
import type { SourceReader } from '../exceptions/source-context.js';
import type { NodePlatform } from '../node-platform.js';

export interface FakeProcess extends ProcessPort {
  /** What would happen when nobody catches. */
  raise(event: 'uncaughtException' | 'unhandledRejection', error: unknown): void;
  exits: number[];
  reported: unknown[];
}

/** Node.js whose network, clock, process and files tests hold in their hands. */
export type FakeNode = FakePlatform & NodePlatform & { process: FakeProcess };

export function fakeNode(readSource: SourceReader = () => undefined): FakeNode {
  const listeners = new Map<string, Set<(error: unknown) => void>>();
  const of = (event: string) => listeners.get(event) ?? new Set();
  const exits: number[] = [];
  const reported: unknown[] = [];
  const process: FakeProcess = {
    on: (event, listener) => void listeners.set(event, of(event).add(listener)),
    off: (event, listener) => void of(event).delete(listener),
    listeners: (event) => [...of(event)],
    exit: (code) => void exits.push(code),
    report: (error) => void reported.push(error),
    raise: (event, error) => {
      for (const listener of of(event)) listener(error);
    },
    exits,
    reported,
  };
  return Object.assign(createFakePlatform(), { process, readSource });
}
