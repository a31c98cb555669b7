import { Command } from 'commander';
import { type CommandIo, print } from './command-io.js';

interface Options {
  host?: string;
  key?: string;
  project: string;
  out: string;
  module: string;
  check: boolean;
}

/** `tidemark flags:types`: writes the feature flags of a project as types, so that the compiler knows keys, variants and payloads. */
export const flagsTypesCommand = (io: CommandIo): Command =>
  new Command('flags:types')
    .description(
      'write the feature flags of a project as TypeScript types, so that the compiler knows keys, variants and payloads',
    )
    .option('--host <url>', 'address of the service (or TIDEMARK_HOST)', io.env['TIDEMARK_HOST'])
    .option(
      '--key <key>',
      'personal API key with the scope feature_flag:read (or TIDEMARK_PERSONAL_API_KEY: safer, since it is a secret)',
    )
    .option(
      '--project <number>',
      "number of the project, or the present one of the key's owner (or TIDEMARK_PROJECT)",
      io.env['TIDEMARK_PROJECT'] ?? '@current',
    )
    .option('--out <file>', 'file to write', 'tidemark-flags.d.ts')
    .option('--module <name>', 'module whose FlagRegistry is filled', '@tidemark/client')
    .option('--check', 'write nothing; fail when the file is not what it would be', false)
    .addHelpText(
      'after',
      `
In a project without the service, the package @tidemark/node has the same command: tidemark-flags-types.`,
    )
    .action(async ({ host, key = io.env['TIDEMARK_PERSONAL_API_KEY'], ...options }: Options) => {
      const { writeDeclarations } = await import('@tidemark/flags/write-declarations');
      print(io, await writeDeclarations({ host, key, ...options }));
    });
