import type { Client } from '@tidemark/client';

/** The name of a client without the option `name`. */
export const DEFAULT_NAME = 'default';

const clients = new Map<string, Client>();
const waiting = new Map<string, ((client: Client) => void)[]>();

/**
 * The client of that name, or undefined before `init`.
 * @example getClient()?.capture('Signed Up')
 */
export function getClient(name = DEFAULT_NAME): Client | undefined {
  return clients.get(name);
}

/** Calls the listener with the client: at once, or after `init`. */
export function whenInitialized(listener: (client: Client) => void, name = DEFAULT_NAME): void {
  const client = clients.get(name);
  if (client) listener(client);
  else waiting.set(name, [...(waiting.get(name) ?? []), listener]);
}

/** Registers a client, and calls the listeners that wait for it. */
export function addInstance(name: string, client: Client): void {
  clients.set(name, client);
  const listeners = waiting.get(name) ?? [];
  waiting.delete(name);
  for (const listener of listeners) listener(client);
}
