import { Command } from 'commander';
import type { ListedUser } from '../resources/accounts/index.js';
import { paintFor } from '../terminal/colors.js';
import { formatTable } from '../terminal/table.js';
import { asOperator } from './as-operator.js';
import { type CommandIo, print } from './command-io.js';
import { LEVELS } from './users-create.js';

/** `tidemark users:list`: lists accounts with their organizations. */
export const usersListCommand = (io: CommandIo): Command =>
  new Command('users:list')
    .description('list all accounts with their organizations')
    .option('--json', 'an account a line, as JSON', false)
    .addHelpText(
      'after',
      `
Run it as the user of the service, with the same TIDEMARK_DATA or DATABASE_URL. The service may run or not, but must have run once.`,
    )
    .action(async ({ json }: { json: boolean }) => {
      const { listUsers } = await import('../resources/accounts/index.js');
      const users = await asOperator(io, {}, ({ db }) => listUsers(db));
      if (json) {
        for (const user of users) print(io, JSON.stringify(jsonOf(user)));
        return;
      }
      const [head = '', ...lines] = formatTable([
        ['e-mail', 'name', 'joined', 'last log-in', 'organizations'],
        ...users.map(rowOf),
      ]);
      print(io, paintFor(io.output)('bold', head));
      for (const line of lines) print(io, line);
    });

const nameOfLevel = (level: number): string => Object.entries(LEVELS).find(([, one]) => one === level)?.[0] ?? String(level);

const jsonOf = ({ organizations, ...user }: ListedUser) => ({
  ...user,
  organizations: organizations.map(({ level, ...one }) => ({ ...one, level: nameOfLevel(level) })),
});

const rowOf = (user: ListedUser): string[] => [
  user.is_active ? user.email : `${user.email} (deactivated)`,
  `${user.first_name} ${user.last_name}`.trim(),
  dayOf(user.date_joined),
  user.last_login ? dayOf(user.last_login) : 'never',
  user.organizations
    .map(({ name, level, is_active }) => `${name} (${nameOfLevel(level)}${is_active ? '' : ', deactivated'})`)
    .join(', '),
];

const dayOf = (time: Date): string => time.toISOString().slice(0, 10);
