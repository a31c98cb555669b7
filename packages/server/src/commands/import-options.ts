import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Access, ClientContext, ImportReport } from '../import/index.js';
import { type CommandIo, print } from './command-io.js';

/** Options that all imports have. */
export interface CommonOptions {
  to?: string;
  toKey?: string;
  toProject?: string;
  state?: string;
  report?: string;
  dryRun: boolean;
  patience: number;
}

/** Adds the options that all imports have. */
export const withTarget = (command: Command): Command =>
  command
    .option('--to <url>', 'address of the Tidemark to write to (or TIDEMARK_HOST)')
    .option('--to-key <key>', 'personal API key of the target (or TIDEMARK_PERSONAL_API_KEY: safer, since it is a secret)')
    .option('--to-project <number>', 'project of the target (or TIDEMARK_PROJECT; default: the present one of the key)')
    .option('--state <file>', 'where the progress is (default: a file here, named after source and target)')
    .option('--report <file>', 'write the report as JSON, too')
    .option('--dry-run', 'read and translate everything, write nothing', false)
    .addOption(
      new Option('--patience <seconds>', 'how long to wait for a service that does not answer')
        .default(600)
        .argParser(secondsOption),
    );

/** Seconds of an option. @throws InvalidArgumentError it is no number of them */
export function secondsOption(text: string): number {
  const seconds = text.trim() === '' ? Number.NaN : Number(text);
  if (!Number.isFinite(seconds) || seconds < 0) throw new InvalidArgumentError('Write a number of seconds, such as 60.');
  return seconds;
}

/** The target of the options or of the environment. @throws Error in one sentence */
export function targetOf(options: CommonOptions, { env }: CommandIo): Access {
  const host = options.to ?? env['TIDEMARK_HOST'];
  const key = options.toKey ?? env['TIDEMARK_PERSONAL_API_KEY'];
  if (!host) throw new Error('Say where to import to: --to https://… or TIDEMARK_HOST.');
  if (!key) throw new Error('A personal API key of the target is needed: TIDEMARK_PERSONAL_API_KEY or --to-key.');
  return { host, key, project: options.toProject ?? env['TIDEMARK_PROJECT'] ?? '@current' };
}

/** The default state file of an import. */
export const stateName = (subject: readonly string[]): string =>
  `tidemark-import-${createHash('sha256').update(JSON.stringify(subject)).digest('hex').slice(0, 12)}.json`;

/** Runs an import, and prints its report also when it fails. */
export async function runImport(
  io: CommandIo,
  options: Pick<CommonOptions, 'report' | 'dryRun' | 'patience'>,
  work: (report: ImportReport, context: ClientContext) => Promise<void>,
): Promise<void> {
  const [{ ImportReport: Report }, { createScheduler, systemClock, systemIds: ids }] = await Promise.all([
    import('../import/index.js'),
    import('../adapters/system/index.js'),
  ]);
  // a service on the same machine goes first
  io.lowerPriority?.();
  const report = new Report();
  const onWait = (sentence: string) => io.errors.write(`${sentence}\n`);
  try {
    const { clock = systemClock } = io;
    await work(report, { scheduler: createScheduler(), clock, ids, onWait, patienceMs: options.patience * 1_000 });
  } finally {
    if (options.dryRun) report.note('Dry run: nothing was written.');
    print(io, report.toText());
    if (options.report !== undefined) writeFileSync(options.report, `${JSON.stringify(report.toJson(), null, 2)}\n`);
  }
}

/** Milliseconds between two lines of progress. */
const PROGRESS_MS = 5_000;

/** Writes how many events are stored, and how many a second, every few seconds. */
export function progress(io: CommandIo, { scheduler }: ClientContext): (events: number, where: string) => void {
  const start = scheduler.uptime();
  let last = start;
  return (events, where) => {
    const now = scheduler.uptime();
    if (now - last < PROGRESS_MS) return;
    last = now;
    const rate = Math.round((events * 1_000) / (now - start));
    io.errors.write(`${events.toLocaleString('en')} events, ${rate.toLocaleString('en')} a second; ${where}\n`);
  };
}
