import { Command, Option } from 'commander';
import type { Access, EventOrigin, ProjectImportOptions } from '../import/index.js';
import type { CommandIo } from './command-io.js';
import { type CommonOptions, progress, runImport, stateName, targetOf, withTarget } from './import-options.js';

interface ProjectOptions extends CommonOptions {
  events: string;
  only?: string;
}

interface PosthogOptions extends ProjectOptions {
  host?: string;
  key?: string;
  project: string;
  since?: number;
  until?: number;
  newestFirst: boolean;
}

/** `tidemark import posthog`: brings a project of PostHog, or of another Tidemark, by its API. */
export const posthogCommand = (io: CommandIo): Command =>
  withTarget(
    new Command('posthog')
      .description(
        'import a project of PostHog, or of another Tidemark: persons, flags, cohorts, dashboards and so on, and events',
      )
      .option('--host <url>', 'address of the source (or POSTHOG_HOST)')
      .option('--key <key>', 'personal API key of the source (or POSTHOG_PERSONAL_API_KEY: safer, since it is a secret)')
      .option('--project <number>', 'project of the source', '@current')
      .option('--events <from>', 'query: by the query API; api: by the events API; none; or the path of batch exports', 'query')
      .option('--only <kinds>', 'only these kinds of objects, separated by commas')
      .option('--since <time>', 'only events from this time on', timeOption)
      .option('--until <time>', 'only events before this time', timeOption)
      .addOption(new Option('--newest-first', 'the newest events first').default(false)),
  ).action(async (options: PosthogOptions) => {
    const host = options.host ?? io.env['POSTHOG_HOST'];
    const key = options.key ?? io.env['POSTHOG_PERSONAL_API_KEY'];
    if (!host) throw new Error('Say where to import from: --host https://… or POSTHOG_HOST.');
    if (!key) throw new Error('A personal API key of the source is needed: POSTHOG_PERSONAL_API_KEY or --key.');
    const range = { since: options.since ?? null, until: options.until ?? null, isNewestFirst: options.newestFirst };
    await importFrom(io, options, { host, key, project: options.project }, range);
  });

/** `tidemark import archive`: brings what `tidemark export` wrote. */
export const archiveCommand = (io: CommandIo): Command =>
  withTarget(
    new Command('archive')
      .description('import the folder that tidemark export wrote')
      .argument('<folder>', 'the folder')
      .option('--only <kinds>', 'only these kinds of objects, separated by commas')
      .option('--events <from>', 'archive: those of the folder; none', 'archive'),
  ).action((folder: string, options: ProjectOptions) =>
    importFrom(io, options, { folder }, { since: null, until: null, isNewestFirst: false }),
  );

async function importFrom(
  io: CommandIo,
  options: ProjectOptions,
  source: Access | { folder: string },
  range: ProjectImportOptions['range'],
): Promise<void> {
  const { importProject, objectKinds } = await import('../import/index.js');
  const target = targetOf(options, io);
  const name = 'folder' in source ? source.folder : `${source.host} ${source.project}`;
  await runImport(io, options, (report, context) =>
    importProject(
      {
        source,
        target,
        events: originOf(options.events),
        range,
        kinds: objectKinds(options.only),
        env: io.env,
        state: options.state ?? stateName([name, target.host, target.project]),
        isDryRun: options.dryRun,
        report,
        onStep: (step) => io.errors.write(`${step}\n`),
        onProgress: progress(io, context),
      },
      context,
    ),
  );
}

function originOf(events: string): EventOrigin {
  if (events === 'query' || events === 'api' || events === 'none') return { by: events };
  return events === 'archive' ? { by: 'query' } : { by: 'files', paths: [events] };
}

/** Epoch milliseconds of an option. @throws Error it is not a time */
export function timeOption(text: string): number {
  const ms = Date.parse(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : text);
  if (Number.isNaN(ms)) throw new Error(`"${text}" is not a time: write 2024-05-01 or 2024-05-01T10:00:00Z.`);
  return ms;
}
