import { Command, Option } from 'commander';
import { loadConfig } from '../config.js';
import { ADMIN, MEMBER, OWNER } from '../kernel/rights.js';
import { asOperator } from './as-operator.js';
import { type CommandIo, print } from './command-io.js';
import { localAddress } from './local-address.js';
import { readSecret } from './read-secret.js';

/** Levels of members by the names that commands have for them. */
export const LEVELS = { member: MEMBER, admin: ADMIN, owner: OWNER } as const;

interface Options {
  name?: string;
  lastName?: string;
  organization?: string;
  newOrganization?: string;
  level?: keyof typeof LEVELS;
  passwordStdin: boolean;
  host?: string;
}

const FIELDS = { email: '<email>', target_email: '<email>', first_name: '--name', last_name: '--last-name' };

/** `tidemark users:create`: creates an account, or a link by which a person creates it. */
export const usersCreateCommand = (io: CommandIo): Command =>
  new Command('users:create')
    .description('create an account with a password, or an invite link for a person to choose one')
    .argument('<email>', 'e-mail address of the person')
    .option('--name <text>', 'first name; an account with a password needs one')
    .option('--last-name <text>', 'last name')
    .option('--organization <name>', 'name or UUID of the organization to join, unless there is only one')
    .addOption(
      new Option('--new-organization <name>', 'make an organization that the account owns').conflicts(['organization', 'level']),
    )
    .addOption(new Option('--level <level>', 'level in the organization (default: member)').choices(Object.keys(LEVELS)))
    .option('--password-stdin', 'create the account, with the password that the standard input has', false)
    .option('--host <url>', 'address of the service in the link (or TIDEMARK_HOST)', io.env['TIDEMARK_HOST'])
    .addHelpText(
      'after',
      `
Without --password-stdin the command prints an invite link, which works once. The person who opens it chooses a name and a password; one
who has an account joins with it.
  tidemark users:create ada@example.com --level admin --host https://analytics.example.com
  tidemark users:create ada@example.com --name Ada --password-stdin < password.txt
The first account:
  tidemark users:create ada@example.com --name Ada --new-organization Acme --password-stdin < password.txt

Run it as the user of the service, with the same TIDEMARK_DATA or DATABASE_URL. The service may run or not, but must have run once.`,
    )
    .action(async (email: string, options: Options, command: Command) => {
      const { name: firstName, lastName, organization, newOrganization, passwordStdin } = options;
      const wanted = { email, firstName, lastName, organization, level: options.level && LEVELS[options.level] };
      const { createPasswords, createUser, inviteUser } = await import('../resources/accounts/index.js');
      if (!passwordStdin) {
        if (newOrganization !== undefined) command.error('error: --new-organization needs --password-stdin');
        const { id, organization: name, expiresAt } = await asOperator(io, FIELDS, (deps) => inviteUser(deps, wanted));
        print(io, new URL(`/invite/${id}`, options.host ?? localAddress(loadConfig(io.env))).href);
        io.errors.write(`Invites ${email} to "${name}" until ${expiresAt.toISOString()}.\n`);
        return;
      }
      const password = await readSecret(io, `Password of ${email}: `);
      const joined = await asOperator(io, FIELDS, (deps) =>
        createUser(
          { ...deps, config: { openSignup: true }, services: { passwords: createPasswords() } },
          wanted,
          password,
          newOrganization,
        ),
      );
      print(io, `${email} has an account now, in the organization "${joined}".`);
    });
