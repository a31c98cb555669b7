import type { Deps } from '../../deps.js';
import type { Db, DbTransaction } from '../../ports/db.js';
import { type Ask, askOf } from './ask.js';
import { Conflict, isConflict, isMissingReference } from './conflict.js';
import { type Folded, fold } from './fold.js';
import { look } from './look.js';
import { existingProjects, lockPersons } from './store.js';
import type { PersonBatch, PersonTask } from './types.js';
import { touchedIds, type Written, write } from './write.js';

/** Tries before a batch gives way to those it meets; a failed try means that another batch went through, or that more is to be held. */
const MAX_TRIES = 20;

const NOTHING: Written = { persons: [], overrides: [], outboxIds: [], states: [] };

/**
 * Finds whose the events are and stores what they change about persons: in one transaction, or none when nothing
 * changes. Several servers may resolve events of the same people at the same time: a batch is decided upon what is read
 * without locks, and written only if that still holds; otherwise it is decided anew, with the persons at issue held from
 * the start so that it cannot lose again for the same reason.
 * @throws the database's error when it is away
 */
export async function resolvePersons(
  { db, clock, services }: Pick<Deps, 'db' | 'clock'> & { services: Pick<Deps['services'], 'personProperties'> },
  tasks: readonly PersonTask[],
): Promise<PersonBatch> {
  const { personProperties: cache } = services;
  let asks = tasks.map(askOf);
  const atIssue = new Set<number>();
  const decide = async (source: Db): Promise<Folded> => {
    const folded = await fold(await look(source, cache, asks), asks);
    for (const id of touchedIds(folded)) atIssue.add(id);
    return folded;
  };
  for (let tries = 1; ; tries++) {
    try {
      const early = tries === 1 ? await decide(db) : null;
      if (early && isNothing(early)) return batchOf(early, NOTHING);
      const { folded, written } = await transaction(db, async (trx) => {
        const held = early ? null : await lockPersons(trx, [...atIssue]);
        const folded = early ?? (await decide(trx));
        // locks taken in two goes could cross with another server's
        if (held && touchedIds(folded).some((id) => !held.has(id))) throw new Conflict();
        return { folded, written: await write(trx, folded, clock.now()) };
      });
      for (const { id, version, person } of written.states) {
        if (person.properties) cache.put(id, version, person.properties);
      }
      return batchOf(folded, written);
    } catch (error) {
      if (tries >= MAX_TRIES || !isConflict(error)) throw error;
      if (isMissingReference(error)) asks = await ofLivingProjects(db, asks);
    }
  }
}

/** Each statement must see what was committed before it, whatever the server's default is. */
const transaction = <T>(db: Db, run: (trx: DbTransaction) => Promise<T>): Promise<T> =>
  db.transaction().setIsolationLevel('read committed').execute(run);

const isNothing = ({ created, updated, merged, attached }: Folded): boolean =>
  created.length + updated.length + merged.length + attached.length === 0;

const batchOf = ({ answers, warnings }: Folded, { persons, overrides, outboxIds }: Written): PersonBatch => ({
  answers,
  persons,
  overrides,
  warnings,
  outboxIds,
});

/** A project that was deleted a moment ago has no persons any more. */
async function ofLivingProjects(db: Db, asks: readonly Ask[]): Promise<Ask[]> {
  const living = await existingProjects(db, [...new Set(asks.map(({ task }) => task.projectId))]);
  return asks.map((ask) => (living.has(ask.task.projectId) ? ask : askOf({ ...ask.task, processProfile: false })));
}
