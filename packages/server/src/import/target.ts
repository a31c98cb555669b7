import { z } from 'zod';
import type { Scheduler } from '../kernel/scheduler.js';
import { createHttpClient, type HttpClient, Refusal } from './http-client.js';
import { ImportError } from './import-error.js';

/** Where an import writes. */
export interface Target {
  client: HttpClient;
  /** Path of the project's API, without a slash at its end. */
  api: string;
  projectId: number;
  projectKey: string;
  /** Names the target in the state file. */
  name: string;
  /** UUID of the project; null: the service does not tell. */
  uuid: string | null;
}

/** How a service is reached. */
export interface Access {
  host: string;
  /** A personal API key. */
  key: string;
  /** Number of the project; `@current` for the present one of the key's owner. */
  project: string;
}

const projectSchema = z.object({ id: z.number(), api_token: z.string(), name: z.string(), uuid: z.string().optional() });

/** What clients of an import share. */
export interface ClientContext {
  scheduler: Scheduler;
  clock: { now(): number };
  ids: { uuid(): string };
  onWait: (sentence: string) => void;
  patienceMs?: number | undefined;
}

/**
 * Finds the project that a key gives access to.
 * @param role how errors name the service
 * @throws ImportError the service, the key or the project is not right
 */
export async function openProject(access: Access, role: 'the target' | 'the source', context: ClientContext): Promise<Target> {
  const client = createHttpClient({ ...context, host: access.host, key: access.key, name: `${role} ${access.host}` });
  const path = `/api/projects/${encodeURIComponent(access.project).replace('%40', '@')}/`;
  try {
    const { id, api_token, name, uuid } = projectSchema.parse(await client.request('GET', path));
    return {
      client,
      api: `/api/projects/${id}`,
      projectId: id,
      projectKey: api_token,
      name: `${client.host} project ${id} (${name})`,
      uuid: uuid ?? null,
    };
  } catch (error) {
    if (error instanceof z.ZodError)
      throw new ImportError(`${access.host} does not answer like Tidemark or PostHog: is the address right?`);
    if (!(error instanceof Refusal)) throw error;
    if (error.status === 404) throw new ImportError(`There is no project ${access.project} at ${access.host}.`);
    throw new ImportError(`The key may not read the project ${access.project} at ${access.host}: ${error.message}`);
  }
}
