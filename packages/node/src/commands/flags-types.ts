#!/usr/bin/env node
import { parseArgs } from 'node:util';
import { writeDeclarations } from '@tidemark/flags/write-declarations';

const HELP = `Usage: tidemark-flags-types [options]

Writes the feature flags of a project as TypeScript types, so that the compiler knows keys, variants and payloads.

Options:
  --host <url>        address of the service (or TIDEMARK_HOST)
  --key <key>         personal API key with the scope feature_flag:read (or TIDEMARK_PERSONAL_API_KEY: safer, since it is a secret)
  --project <number>  number of the project, or the present one of the key's owner (or TIDEMARK_PROJECT)
  --out <file>        file to write (default: tidemark-flags.d.ts)
  --module <name>     module whose FlagRegistry is filled (default: @tidemark/node)
  --check             write nothing; fail when the file is not what it would be
  --help              this text
`;

/** What wrong arguments lead to: `cause` is the parser's error. */
class WrongUse extends Error {}

async function run(): Promise<void> {
  const { env } = process;
  const options = readOptions();
  if (options.help) {
    process.stdout.write(HELP);
    return;
  }
  const line = await writeDeclarations({
    host: options.host ?? env['TIDEMARK_HOST'],
    key: options.key ?? env['TIDEMARK_PERSONAL_API_KEY'],
    project: options.project ?? env['TIDEMARK_PROJECT'] ?? '@current',
    out: options.out ?? 'tidemark-flags.d.ts',
    module: options.module ?? '@tidemark/node',
    check: options.check ?? false,
  });
  process.stdout.write(`${line}\n`);
}

function readOptions() {
  try {
    const text = { type: 'string' } as const;
    const yes = { type: 'boolean' } as const;
    const options = { host: text, key: text, project: text, out: text, module: text, check: yes, help: yes };
    return parseArgs({ options }).values;
  } catch (error) {
    throw new WrongUse(error instanceof Error ? error.message : String(error));
  }
}

run().catch((error: unknown) => {
  const isWrongUse = error instanceof WrongUse;
  const hint = isWrongUse ? '\n(tidemark-flags-types --help lists the options)' : '';
  process.stderr.write(`${error instanceof Error ? error.message : error}${hint}\n`);
  process.exitCode = isWrongUse ? 2 : 1;
});
