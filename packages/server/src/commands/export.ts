import { Command } from 'commander';
import type { CommandIo } from './command-io.js';
import { progress, runImport, secondsOption } from './import-options.js';
import { timeOption } from './import-project.js';

interface ExportCommandOptions {
  host?: string;
  key?: string;
  project?: string;
  since?: number;
  until?: number;
  report?: string;
  patience: number;
}

/** `tidemark export`: writes a project to a folder, in formats that other programs read. */
export const exportCommand = (io: CommandIo): Command =>
  new Command('export')
    .description('write the events, persons and objects of a project to a folder, as JSON')
    .argument('<folder>', 'a new folder, or one with an export that stopped')
    .option('--host <url>', 'address of the service (or TIDEMARK_HOST)')
    .option('--key <key>', 'personal API key (or TIDEMARK_PERSONAL_API_KEY: safer, since it is a secret)')
    .option('--project <number>', 'number of the project (or TIDEMARK_PROJECT; default: the present one of the key)')
    .option('--since <time>', 'only events from this time on', timeOption)
    .option('--until <time>', 'only events before this time', timeOption)
    .option('--report <file>', 'write the report as JSON, too')
    .option('--patience <seconds>', 'how long to wait for a service that does not answer', secondsOption, 600)
    .action(async (folder: string, options: ExportCommandOptions) => {
      const host = options.host ?? io.env['TIDEMARK_HOST'];
      const key = options.key ?? io.env['TIDEMARK_PERSONAL_API_KEY'];
      if (!host) throw new Error('Say where the service is: --host https://… or TIDEMARK_HOST.');
      if (!key) throw new Error('A personal API key is needed: TIDEMARK_PERSONAL_API_KEY or --key.');
      const source = { host, key, project: options.project ?? io.env['TIDEMARK_PROJECT'] ?? '@current' };
      const { exportProject } = await import('../import/index.js');
      await runImport(io, { ...options, dryRun: false }, (report, context) =>
        exportProject(
          {
            folder,
            source,
            since: options.since ?? null,
            until: options.until ?? null,
            report,
            onStep: (step) => io.errors.write(`${step}\n`),
            onProgress: progress(io, context),
          },
          context,
        ),
      );
    });
