import { Command } from 'commander';
import { asOperator } from './as-operator.js';
import { type CommandIo, print } from './command-io.js';

interface Options {
  label: string;
  scopes: string[];
  projects: string[];
  organizations: string[];
}

const FIELDS = { label: '--label', scopes: '--scopes', scoped_teams: '--projects', scoped_organizations: '--organizations' };

const listed = (text: string): string[] =>
  text
    .split(',')
    .map((one) => one.trim())
    .filter(Boolean);

/** `tidemark keys:create`: makes a personal API key for an account. */
export const keysCreateCommand = (io: CommandIo): Command =>
  new Command('keys:create')
    .description('make a personal API key for an account, and print it once')
    .argument('<email>', 'e-mail address of the account for which the key acts')
    .requiredOption('--label <text>', 'what the key is for')
    .requiredOption('--scopes <list>', 'what it may do, such as feature_flag:read,query:read; * for everything', listed)
    .option('--projects <numbers>', 'the only projects that it reaches, with commas (default: all)', listed, [])
    .option('--organizations <uuids>', 'the only organizations that it reaches, with commas (default: all)', listed, [])
    .addHelpText(
      'after',
      `
The key is all that the standard output gets, so that a script can take it:
  KEY=$(tidemark keys:create ada@example.com --label 'Weekly report' --scopes query:read --projects 1)

Run it as the user of the service, with the same TIDEMARK_DATA or DATABASE_URL. The service may run or not, but must have run once.`,
    )
    .action(async (email: string, { label, scopes, projects, organizations }: Options) => {
      const [{ findLogin }, { createKey, createSchema }, { validate }] = await Promise.all([
        import('../resources/accounts/index.js'),
        import('../resources/keys/index.js'),
        import('../http/validate.js'),
      ]);
      const made = await asOperator(io, FIELDS, async (deps) => {
        const fields = validate(createSchema, { label, scopes, scoped_teams: projects, scoped_organizations: organizations });
        const account = await findLogin(deps.db, email);
        if (!account) throw new Error(`There is no active account with the e-mail address ${email}.`);
        return createKey({ deps, principal: { userId: account.id } }, fields);
      });
      print(io, made.value ?? '');
      const projectsText = made.scoped_teams.length > 0 ? `projects ${made.scoped_teams.join(', ')}` : 'all projects';
      io.errors.write(`The key "${made.label}" of ${email} for ${projectsText}; it is not shown again.\n`);
    });
