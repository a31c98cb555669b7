import type { Deps } from '../../deps.js';
import { postgresVersion } from './store.js';

export interface StoreCheck {
  ok: boolean;
  version: string | null;
}

export interface StoreChecks {
  ok: boolean;
  checks: { postgres: StoreCheck; events: StoreCheck };
}

const DEADLINE_MS = 2_000;

/** Asks both stores for their version; one that fails or takes over 2 s counts as away. */
export async function checkStores(deps: Deps): Promise<StoreChecks> {
  const [postgres, events] = await Promise.all([
    check(postgresVersion(deps.db)),
    check(deps.events.ping().then(({ version }) => version)),
  ]);
  return { ok: postgres.ok && events.ok, checks: { postgres, events } };
}

async function check(version: Promise<string>): Promise<StoreCheck> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('no answer')), DEADLINE_MS);
  });
  try {
    return { ok: true, version: await Promise.race([version, late]) };
  } catch {
    return { ok: false, version: null };
  } finally {
    clearTimeout(timer);
  }
}
