// @vitest-environment happy-dom
import { version } from 'react';
import { expect, test, vi } from 'vitest';
import './testing/boundary-contract.js';
import './testing/feature-contract.js';
import './testing/hooks-contract.js';
import './testing/provider-contract.js';
import './testing/server-render-contract.js';
import './testing/test-provider-contract.js';

vi.mock('@tidemark/browser', () => ({ getClient: vi.fn(), init: vi.fn() }));

test('React is version 19', () => expect(version).toMatch(/^19\./));
