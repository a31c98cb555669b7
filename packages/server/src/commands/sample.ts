import { parseArgs } from 'node:util';
import { sql } from 'kysely';
import { pino } from 'pino';
import { loadConfig } from '../config.js';
import type { Db } from '../ports/db.js';
import type { Clock } from '../ports/system.js';
import { loadSample, removeSample } from '../resources/sample/index.js';
import type { CommandResult } from './command-result.js';
import type { OpenMetadata } from './users-password.js';

const USAGE = `tidemark sample PROJECT: loads 60 days of an invented shop into a project

  PROJECT is the number of a project, or its public key.
  --remove  removes the sample data, with all that was made with it

  Run it as the user of the service, with the same TIDEMARK_DATA or DATABASE_URL. The service does the work: at once, or when it starts.
`;

/** Runs the command `sample`. Never throws: an error becomes the text of the result, one sentence, with exit code 1. */
export async function sample(
  args: readonly string[],
  env: Record<string, string | undefined>,
  clock: Clock,
  openMetadata: OpenMetadata,
): Promise<CommandResult> {
  try {
    const options = { help: { type: 'boolean' }, remove: { type: 'boolean' } } as const;
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    if (values.help) return { text: USAGE, code: 0 };
    const [named] = positionals;
    if (named === undefined || positionals.length !== 1) throw new Error('Name one project: tidemark sample PROJECT');
    const { db, close } = await openMetadata(loadConfig(env), pino({ level: 'silent' }));
    try {
      return { text: await change({ db, clock }, named, values.remove ?? false), code: 0 };
    } finally {
      await close();
    }
  } catch (error) {
    return { text: error instanceof Error ? error.message : String(error), code: 1 };
  }
}

async function change(stores: { db: Db; clock: Clock }, named: string, isRemoval: boolean): Promise<string> {
  const project = await findProject(stores.db, named);
  if (!project) throw new Error(`There is no project ${named} with an active member.`);
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
