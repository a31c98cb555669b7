import { Command, CommanderError } from 'commander';
import { VERSION } from '../version.js';
import { backupCommand } from './backup.js';
import { backupCheckCommand } from './backup-check.js';
import { clusterCommand } from './cluster.js';
import type { CommandIo } from './command-io.js';
import { doctorCommand } from './doctor/doctor.js';
import { exportCommand } from './export.js';
import { flagsTypesCommand } from './flags-types.js';
import { importCommand } from './import.js';
import { keysCreateCommand } from './keys-create.js';
import { migrateCommand } from './migrate.js';
import { moveCommand } from './move.js';
import { restoreCommand } from './restore.js';
import { sampleCommand } from './sample.js';
import { serveCommand } from './serve.js';
import { usersCreateCommand } from './users-create.js';
import { usersListCommand } from './users-list.js';
import { usersPasswordCommand } from './users-password.js';
import { versionCommand } from './version.js';

/** All commands, in the order of the help. A module holds names and options; what it runs is loaded when it runs. */
const COMMANDS: readonly ((io: CommandIo) => Command)[] = [
  serveCommand,
  doctorCommand,
  backupCommand,
  backupCheckCommand,
  restoreCommand,
  moveCommand,
  migrateCommand,
  usersCreateCommand,
  usersListCommand,
  usersPasswordCommand,
  keysCreateCommand,
  sampleCommand,
  flagsTypesCommand,
  clusterCommand,
  importCommand,
  exportCommand,
  versionCommand,
];

/** Exit codes of the process. */
const DONE = 0;
const FAILED = 1;
const WRONG_USE = 2;

/**
 * Runs the command that the arguments name; without arguments, `serve`. Never throws: an error is one sentence on `io.errors`.
 * @param args those of the process, without Node.js and the script
 * @returns the exit code: 0 done, 1 failed, 2 wrong use
 */
export async function runProgram(args: readonly string[], io: CommandIo): Promise<number> {
  const program = new Command('tidemark').description('Tidemark: self-hosted product analytics').version(VERSION);
  for (const command of COMMANDS) program.addCommand(command(io));
  for (const command of withSubcommands(program)) {
    command
      .exitOverride()
      .showHelpAfterError('(tidemark --help lists the commands, tidemark COMMAND --help its options)')
      .configureOutput({
        writeOut: (text) => io.output.write(text),
        writeErr: (text) => io.errors.write(text),
      });
  }
  try {
    await program.parseAsync(args.length === 0 ? ['serve'] : withoutVainHelp(program, args), { from: 'user' });
    return DONE;
  } catch (error) {
    // the library has written its own: help, version, or what is wrong with the arguments
    if (error instanceof CommanderError) return error.exitCode === 0 ? DONE : WRONG_USE;
    io.errors.write(`${error instanceof Error ? error.message : error}\n`);
    return FAILED;
  }
}

/** Drops `help` before a command that does not exist: the library would print the whole help, but refuses the command itself in a sentence. */
function withoutVainHelp(program: Command, args: readonly string[]): string[] {
  const [first, second, ...others] = args;
  const isVain = first === 'help' && second !== undefined && !program.commands.some((one) => one.name() === second);
  return isVain ? [second, ...others] : [...args];
}

/** A command and everything below it. */
const withSubcommands = (command: Command): Command[] => [command, ...command.commands.flatMap((one) => withSubcommands(one))];
