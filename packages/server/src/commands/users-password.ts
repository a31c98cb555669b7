import { Command } from 'commander';
import { pino } from 'pino';
import { loadConfig } from '../config.js';
import { type CommandIo, print } from './command-io.js';
import { readSecret } from './read-secret.js';

/** `tidemark users:password`: gives an account a new password and ends its sessions. */
export const usersPasswordCommand = (io: CommandIo): Command =>
  new Command('users:password')
    .description('give an account a new password, and end its sessions')
    .argument('<email>', 'e-mail address of the account')
    .addHelpText(
      'after',
      `
The command prompts for the new password, or reads it from the standard input when that is no terminal:
  tidemark users:password ada@example.com < password.txt

Run it as the user of the service, with the same TIDEMARK_DATA or DATABASE_URL. The service may run or not.`,
    )
    .action(async (email: string) => {
      const [{ openMetadata }, { createPasswords, resetPassword }] = await Promise.all([
        import('../open-metadata.js'),
        import('../resources/accounts/index.js'),
      ]);
      const config = loadConfig(io.env);
      const password = await readSecret(io, `New password of ${email}: `);
      const { db, close } = await openMetadata(config, pino({ level: 'silent' }));
      try {
        const found = await resetPassword({ db, passwords: createPasswords() }, email, password);
        if (found === null) throw new Error(`There is no account with the e-mail address ${email}.`);
        print(io, `${found} has a new password; its sessions have ended, its personal API keys have not.`);
      } finally {
        await close();
      }
    });
