import { createNodeClient } from './create-node-client.js';
import type { NodeClient } from './node-client.js';
import { nodePlatform } from './node-platform.js';
import type { GivenNodeOptions } from './option-names.js';

/**
 * Makes a client. One for a process is enough; end it with `shutdown`, so that nothing is lost.
 *
 * @param apiKey the project's key
 * @example
 * const analytics = init('tmk_…', { host: 'https://analytics.example.com' });
 * analytics.capture({ distinctId: 'user-1', event: 'order placed' });
 * process.on('SIGTERM', () => analytics.shutdown());
 */
export const init = (apiKey: string, options: GivenNodeOptions): NodeClient => createNodeClient(apiKey, options, nodePlatform());
