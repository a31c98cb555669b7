// @vitest-environment happy-dom
import { version } from 'react';
import { expect, test, vi } from 'vitest';
import './testing/boundary-contract.js';
import './testing/feature-contract.js';
import './testing/hooks-contract.js';
import './testing/provider-contract.js';
import './testing/server-render-contract.js';
import './testing/test-provider-contract.js';

vi.mock('react', () => fromReact18('react'));
vi.mock('react/jsx-runtime', () => fromReact18('react/jsx-runtime'));
vi.mock('react/jsx-dev-runtime', () => fromReact18('react/jsx-dev-runtime'));
vi.mock('react-dom/client', () => fromReact18('react-dom/client'));
vi.mock('react-dom/server', () => fromReact18('react-dom/server'));

/** The package as the example with React 18 has it. */
async function fromReact18(name: string): Promise<object> {
  const { createRequire } = await import('node:module');
  const { join } = await import('node:path');
  const loaded = createRequire(join(import.meta.dirname, '../../../examples/react-18/package.json'))(name);
  return { ...loaded, default: loaded };
}

vi.mock('@tidemark/browser', () => ({ getClient: vi.fn(), init: vi.fn() }));

test('React is version 18', () => expect(version).toMatch(/^18\./));
