import { readFileSync } from 'node:fs';
import { importFiles } from './events/import-files.js';
import { createSender } from './events/send-events.js';
import { createPersonSender } from './events/send-persons.js';
import { type FileKind, findFiles, searchFiles } from './files/find-files.js';
import type { EventFormat } from './formats/format.js';
import { FORMATS } from './formats/list.js';
import { mappedFormat, parseMapping } from './formats/mapping.js';
import { mixpanelIn } from './formats/mixpanel.js';
import { isZone, momentsIn } from './formats/zone-times.js';
import { Refusal } from './http-client.js';
import { ImportError } from './import-error.js';
import { countOnly } from './import-project.js';
import type { ImportReport } from './report.js';
import { openState } from './state.js';
import { type Access, type ClientContext, openProject } from './target.js';

/** What `import events` and the imports of one format do. */
export interface FileImportOptions {
  paths: readonly string[];
  /** A format of {@link FORMATS}; null: the mapping says it. */
  format: string | null;
  /** Path of the mapping file. */
  mapping: string | null;
  /** The time zone whose clocks the times of Mixpanel's exports show; null: UTC. */
  timeZone: string | null;
  kind: FileKind | null;
  /** The environment, which has the access to buckets. */
  env: Readonly<Record<string, string | undefined>>;
  target: Access;
  /** Path of the state file. */
  state: string;
  /** Whether nothing is sent and nothing is written. */
  isDryRun: boolean;
  report: ImportReport;
  onProgress: (events: number, file: string) => void;
}

/**
 * Imports the events of files into a project.
 * @throws ImportError in a sentence; what was stored before stays, and the state file knows it
 */
export async function importEventFiles(options: FileImportOptions, context: ClientContext): Promise<void> {
  const named = formatOf(options);
  if (!named) throw new ImportError(`There is no format ${options.format}: use ${Object.keys(FORMATS).join(', ')}.`);
  const { kind, env } = options;
  const files = await findFiles(options.paths, { kind, matches: named.matches, env }, options.report);
  const { beside } = named;
  const format = beside ? await beside.read(await searchFiles(options.paths, { kind, matches: beside.matches, env })) : named;
  const target = await openProject(options.target, 'the target', context);
  const state = openState(
    options.isDryRun ? null : options.state,
    `events of ${options.paths.join(', ')} (${format.name}) into ${target.name}`,
  );
  const { report, onProgress } = options;
  const send = options.isDryRun ? countOnly(report) : createSender(target.client, target.projectKey, report);
  const sendPersons = createPersonSender(options.isDryRun ? null : target, report);
  try {
    await importFiles(files, { format, send, sendPersons, state, report, onProgress });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw new ImportError(`The target refuses persons of the files (${error.status}): ${error.message}`);
  } finally {
    state.close();
  }
}

/** @throws ImportError the mapping cannot be read, or the time zone is unknown */
function formatOf({ mapping, format, timeZone }: FileImportOptions): EventFormat | undefined {
  if (mapping !== null) return mappedFormat(readMapping(mapping));
  if (timeZone === null) return FORMATS[format ?? 'posthog'];
  if (!isZone(timeZone)) throw new ImportError(`There is no time zone "${timeZone}": write one such as Europe/Berlin.`);
  return mixpanelIn(momentsIn(timeZone));
}

function readMapping(path: string) {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    throw new ImportError(`The mapping ${path} cannot be read.`);
  }
  return parseMapping(text, path);
}
