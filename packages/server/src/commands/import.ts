import { Command, Option } from 'commander';
import type { CommandIo } from './command-io.js';
import { type CommonOptions, progress, runImport, stateName, targetOf, withTarget } from './import-options.js';
import { archiveCommand, posthogCommand } from './import-project.js';

interface FileOptions extends CommonOptions {
  mapping?: string;
  format?: 'jsonl' | 'csv' | 'parquet';
  timeZone?: string;
}

/** `tidemark import`: brings the history of another product, or of another Tidemark, into a project. */
export const importCommand = (io: CommandIo): Command => {
  const command = new Command('import').description('bring events, persons and objects of another product into a project');
  for (const one of [eventsCommand, posthogCommand, archiveCommand]) command.addCommand(one(io));
  for (const product of PRODUCTS) command.addCommand(productCommand(io, product));
  return command;
};

/** Products with a command of their own for their files. */
const PRODUCTS = ['plausible', 'umami', 'ga4', 'mixpanel', 'amplitude'] as const;

const productCommand = (io: CommandIo, product: (typeof PRODUCTS)[number]): Command => {
  const command = new Command(product)
    .description(`import events from files that ${product} exported`)
    .argument('<path...>', 'files, folders, zip archives or s3://bucket/prefix')
    .addOption(FORMAT());
  if (product === 'mixpanel')
    command.option('--time-zone <zone>', 'time zone of the project, if its exports have times in it, such as Europe/Berlin');
  return withTarget(command).action((paths: string[], options: FileOptions) =>
    importFiles(io, paths, { ...options, from: product }),
  );
};

const FORMAT = () =>
  new Option('--format <format>', 'how to read files whose names do not tell').choices(['jsonl', 'csv', 'parquet']);

const eventsCommand = (io: CommandIo): Command =>
  withTarget(
    new Command('events')
      .description(
        'import events from files, folders, zip archives or buckets: JSON lines, CSV or Parquet; gzip and zstd are recognized',
      )
      .argument('<path...>', 'files, folders, zip archives or s3://bucket/prefix')
      .addOption(
        new Option('--from <product>', 'the product that wrote the files')
          .choices(['posthog', 'mixpanel', 'amplitude', 'umami', 'ga4', 'plausible'])
          .default('posthog', 'posthog: batch exports and tidemark export'),
      )
      .option('--mapping <file>', 'JSON file that says which column is what, instead of --from')
      .addOption(
        new Option('--format <format>', 'how to read files whose names do not tell').choices(['jsonl', 'csv', 'parquet']),
      ),
  ).action((paths: string[], options: FileOptions & { from: string }) => importFiles(io, paths, options));

async function importFiles(io: CommandIo, paths: readonly string[], options: FileOptions & { from: string }): Promise<void> {
  const { importEventFiles } = await import('../import/index.js');
  const target = targetOf(options, io);
  const state = options.state ?? stateName([...paths, options.mapping ?? options.from, target.host, target.project]);
  await runImport(io, options, (report, context) =>
    importEventFiles(
      {
        paths,
        format: options.mapping === undefined ? options.from : null,
        mapping: options.mapping ?? null,
        timeZone: options.timeZone ?? null,
        kind: options.format ?? null,
        env: io.env,
        target,
        state,
        isDryRun: options.dryRun,
        report,
        onProgress: progress(io, context),
      },
      context,
    ),
  );
}
