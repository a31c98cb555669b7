import type { Deps } from '../../deps.js';
import { withinTime } from '../../kernel/scheduler.js';
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
    check(deps, postgresVersion(deps.db)),
    check(
      deps,
      deps.events.ping().then(({ version }) => version),
    ),
  ]);
  return { ok: postgres.ok && events.ok, checks: { postgres, events } };
}

async function check({ scheduler }: Deps, version: Promise<string>): Promise<StoreCheck> {
  const answer = version.then(
    (found) => ({ ok: true, version: found }),
    () => AWAY,
  );
  return withinTime(scheduler, DEADLINE_MS, answer, () => AWAY);
}

const AWAY: StoreCheck = { ok: false, version: null };
