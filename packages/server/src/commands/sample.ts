import { Command } from 'commander';
import { sql } from 'kysely';
import { pino } from 'pino';
import { loadConfig } from '../config.js';
import type { Db } from '../ports/db.js';
import type { Clock } from '../ports/system.js';
import { type CommandIo, print } from './command-io.js';

/** `tidemark sample`: loads sample data into a project, or removes it. */
export const sampleCommand = (io: CommandIo): Command =>
  new Command('sample')
    .description('load 60 days of an invented shop into a project, or remove them')
    .argument('<project>', 'number of the project, or its public key')
    .option('--remove', 'remove the sample data, with all that was made with it', false)
    .addHelpText(
      'after',
      `
Run it as the user of the service, with the same TIDEMARK_DATA or DATABASE_URL. The service does the work: at once, or when it starts.`,
    )
    .action(async (named: string, { remove }: { remove: boolean }) => {
      const [{ openMetadata }, { systemClock }] = await Promise.all([
        import('../open-metadata.js'),
        import('../adapters/system/index.js'),
      ]);
      const { db, close } = await openMetadata(loadConfig(io.env), pino({ level: 'silent' }));
      try {
        print(io, await changeSample({ db, clock: systemClock }, named, remove));
      } finally {
        await close();
      }
    });

/**
 * Has the service load sample data into a project, or remove it.
 * @returns what happens now, as a sentence
 * @throws Error in one sentence
 */
export async function changeSample(stores: { db: Db; clock: Clock }, named: string, isRemoval: boolean): Promise<string> {
  const project = await findProject(stores.db, named);
  if (!project) throw new Error(`There is no project ${named} with an active member.`);
  const { loadSample, removeSample } = await import('../resources/sample/index.js');
  if (isRemoval) {
    if (!(await removeSample(stores, project.id))) throw new Error(`The project "${project.name}" has no sample data.`);
    return `The service removes the sample data of "${project.name}".`;
  }
  if (!(await loadSample(stores, project.id, { userId: project.userId, keyId: null }))) {
    throw new Error(`The project "${project.name}" has sample data already: remove it with --remove first.`);
  }
  return `The service loads sample data into "${project.name}".`;
}

/** A project by its number or public key, with the member of its organization who owns what is made: the one with the highest level. */
async function findProject(db: Db, named: string): Promise<{ id: number; name: string; userId: number } | undefined> {
  const { rows } = await sql<{ id: number; name: string; userId: number }>`
    select p.id, p.name, u.id as "userId" from projects p
    join organization_memberships m on m.organization_id = p.organization_id and m.is_active
    join users u on u.id = m.user_id and u.is_active
    where p.id::text = ${named} or p.api_token = ${named}
    order by m.level desc, u.id limit 1`.execute(db);
  return rows[0];
}
