import { createNativeClient, type NativeClient } from './native-client.js';
import { ownSurroundings } from './native-platform.js';
import type { GivenOptions } from './option-names.js';

const clients = new Map<string, NativeClient>();

/**
 * Makes the client of a project; asked again for the same project (a fast refresh, a second provider) it gives the same one.
 *
 * @param apiKey the project's key
 * @example
 * import AsyncStorage from '@react-native-async-storage/async-storage';
 * import { AppState } from 'react-native';
 *
 * export const client = init('tmk_…', { host: 'https://analytics.example.com', storage: AsyncStorage, appState: AppState });
 */
export function init(apiKey: string, options: GivenOptions): NativeClient {
  const name = `${apiKey} ${options.name ?? ''}`;
  const known = clients.get(name);
  if (known?.isInitialized) return known;
  const client = createNativeClient(apiKey, options, ownSurroundings(options.log));
  clients.set(name, client);
  return client;
}
