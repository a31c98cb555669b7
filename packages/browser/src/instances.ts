import type { Client } from '@tidemark/client';

/** The name of the instance that is made without one. */
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

/** Calls back with the client as soon as it is initialized: now, or later. */
export function whenInitialized(listener: (client: Client) => void, name = DEFAULT_NAME): void {
  const client = clients.get(name);
  if (client) listener(client);
  else waiting.set(name, [...(waiting.get(name) ?? []), listener]);
}

/** Makes a new client known, and serves those who wait for it. */
export function addInstance(name: string, client: Client): void {
  clients.set(name, client);
  const listeners = waiting.get(name) ?? [];
  waiting.delete(name);
  for (const listener of listeners) listener(client);
}
