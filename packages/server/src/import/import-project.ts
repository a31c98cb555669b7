import { archiveSource, eventFolder } from './archive/read-archive.js';
import { type EventPage, type EventRange, listEvents, queryEvents } from './events/api-events.js';
import { BROKEN_PROPERTIES, hasBrokenProperties } from './events/event.js';
import { importFiles } from './events/import-files.js';
import { createSender, type SendEvents } from './events/send-events.js';
import { findFiles } from './files/find-files.js';
import { posthogFormat } from './formats/posthog.js';
import { withProject } from './lease.js';
import type { ObjectImport } from './objects/create-objects.js';
import { importObjects } from './objects/import-objects.js';
import { createMemory } from './objects/memory.js';
import { apiSource, OBJECT_KINDS, type ObjectKind, type ObjectSource } from './objects/object-source.js';
import { importGroups, importPersons } from './objects/plain-objects.js';
import type { ImportReport } from './report.js';
import { type ImportState, openState } from './state.js';
import { type Access, type ClientContext, openProject, type Target } from './target.js';

/** Where the events of a project come from. */
export type EventOrigin = { by: 'query' | 'api' | 'none' } | { by: 'files'; paths: readonly string[] };

/** What `import posthog` and `import archive` do. */
export interface ProjectImportOptions {
  /** A project of a running service, or the folder of an export. */
  source: Access | { folder: string };
  target: Access;
  events: EventOrigin;
  range: Omit<EventRange, 'cursor'>;
  kinds: readonly ObjectKind[];
  /** The environment, which has the access to buckets. */
  env: Readonly<Record<string, string | undefined>>;
  /** Path of the state file. */
  state: string;
  isDryRun: boolean;
  report: ImportReport;
  /** Is called with what is imported now. */
  onStep: (name: string) => void;
  onProgress: (events: number, where: string) => void;
}

/** Kinds whose objects are the same however often they are imported, also by two imports at once. */
const REPEATABLE: readonly ObjectKind[] = ['persons', 'groups'];

/**
 * Imports a project: persons first, so that events find them; then what refers to nothing, then what refers to it; then events; and persons
 * and groups again, because properties in old events are older than theirs.
 * @throws ImportError in a sentence; what was imported before stays, and the state file knows it
 */
export async function importProject(options: ProjectImportOptions, context: ClientContext): Promise<void> {
  const { report, isDryRun, kinds } = options;
  const target = await openProject(options.target, 'the target', context);
  const opened = 'folder' in options.source ? null : await openProject(options.source, 'the source', context);
  const name = opened?.name ?? ('folder' in options.source ? `the export ${options.source.folder}` : '');
  const state = openState(isDryRun ? null : options.state, `${name} into ${target.name}`);
  try {
    const work = (held: Target) => importInto(held, opened, state, options, context);
    if (isDryRun || kinds.every((kind) => REPEATABLE.includes(kind))) return await work(target);
    state.data.holder ??= context.ids.uuid();
    state.save();
    await withProject(target, { holder: state.data.holder, subject: name, report }, context, work);
  } finally {
    state.close();
  }
}

async function importInto(
  target: Target,
  opened: Target | null,
  state: ImportState,
  options: ProjectImportOptions,
  { scheduler }: ClientContext,
): Promise<void> {
  const { report, isDryRun, kinds } = options;
  const source = opened
    ? apiSource(opened, options.range)
    : archiveSource('folder' in options.source ? options.source.folder : '');
  const memory = createMemory(target, opened ? (opened.uuid ?? opened.name) : await uuidOf(source), report, isDryRun);
  const importing: ObjectImport = { source, target, state, memory, report, isDryRun, scheduler };
  const send = isDryRun ? countOnly(report) : createSender(target.client, target.projectKey, report);
  await importObjects(kinds, 'before', importing, options.onStep);
  if (options.events.by !== 'none') options.onStep('events');
  await importEvents(options, opened, send, importing);
  if (options.events.by !== 'none' && kinds.includes('persons') && !isDryRun) {
    options.onStep('persons, with the properties that they have today');
    await importPersons({ ...importing, report: report.ignored() });
  }
  if (options.events.by !== 'none' && kinds.includes('groups') && !isDryRun) {
    options.onStep('groups, with the properties that they have today');
    await importGroups({ ...importing, report: report.ignored() });
  }
  await importObjects(kinds, 'after', importing, options.onStep);
  state.save();
}

/** The UUID of the project that an export is of. */
async function uuidOf(source: ObjectSource): Promise<string | null> {
  for await (const { uuid } of source.list('settings')) if (typeof uuid === 'string') return uuid;
  return null;
}

async function importEvents(
  options: ProjectImportOptions,
  source: Target | null,
  send: SendEvents,
  { state, report }: ObjectImport,
): Promise<void> {
  const { events, onProgress } = options;
  if (events.by === 'none') return;
  if (!source || events.by === 'files') {
    const folders = 'folder' in options.source ? [eventFolder(options.source.folder)] : [];
    const paths = events.by === 'files' ? events.paths : folders.filter((folder) => folder !== null);
    if (paths.length === 0) return;
    const files = await findFiles(paths, { kind: null, matches: posthogFormat.matches, env: options.env }, report);
    await importFiles(files, { format: posthogFormat, send, state, report, onProgress });
    return;
  }
  if (state.data.steps.includes('events')) return report.note('The events were imported by an earlier run.');
  const read = events.by === 'query' ? queryEvents : listEvents;
  let sent = 0;
  let previous: Promise<void> = Promise.resolve();
  for await (const page of read(source, { ...options.range, cursor: state.data.cursor }, report)) {
    await previous;
    // the next page is read while this one is sent
    previous = sendPage(page, send).then(() => {
      state.data.cursor = page.cursor;
      state.save();
      sent += page.events.length;
      onProgress(sent, page.events.at(-1)?.timestamp ?? '');
    });
    previous.catch(() => {});
  }
  await previous;
  // an import that is repeated later takes what has come since, by the same cursor
  if (options.range.isNewestFirst || events.by === 'api') state.data.steps.push('events');
  state.save();
}

const sendPage = ({ events }: EventPage, send: SendEvents): Promise<void> => send(events);

/** Counts events instead of sending them. */
export const countOnly =
  (report: ImportReport): SendEvents =>
  async (events) => {
    for (const event of events) {
      if (hasBrokenProperties(event)) report.count('events', 'skipped', 1, BROKEN_PROPERTIES, event.uuid);
      else report.count('events', 'imported', 1);
    }
  };

/** The kinds of a comma-separated list; all without one. @throws Error a name is unknown */
export function objectKinds(list: string | undefined): ObjectKind[] {
  if (list === undefined) return [...OBJECT_KINDS];
  return list.split(',').map((word) => {
    const kind = OBJECT_KINDS.find((one) => one === word.trim());
    if (!kind) throw new Error(`There is no kind "${word}": use ${OBJECT_KINDS.join(', ')}.`);
    return kind;
  });
}
