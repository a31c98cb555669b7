import { sentenceOf } from '../../kernel/errors.js';
import { type InputFile, readRecords } from '../files/find-files.js';
import type { EventFormat, Made } from '../formats/format.js';
import { ImportError } from '../import-error.js';
import type { ImportReport } from '../report.js';
import type { ImportState } from '../state.js';
import type { ImportedEvent, ImportedPerson } from './event.js';
import type { SendEvents } from './send-events.js';
import type { SendPersons } from './send-persons.js';

interface FileImport {
  format: EventFormat;
  send: SendEvents;
  /** Absent: the format has no persons. */
  sendPersons?: SendPersons;
  state: ImportState;
  report: ImportReport;
  /** Is called after each chunk, with the events stored so far in this run. */
  onProgress: (events: number, file: string) => void;
}

/** Chunks of a file that are sent at the same time, while the next one is read. */
const CHUNKS = 3;

/**
 * Imports the events of files, one file after the other. The state advances when the events of a chunk are stored.
 * @throws ImportError a file cannot be read to its end (after all other files are imported), or the service refuses events as a whole
 */
export async function importFiles(
  files: readonly InputFile[],
  { format, send, sendPersons = async () => {}, state, report, onProgress }: FileImport,
): Promise<void> {
  const faults: string[] = [];
  let sent = 0;
  for (const file of files) {
    const before = state.data.files[file.name];
    if (before && before.size !== file.bytes.size && before.finished) {
      throw new ImportError(`${file.name} has changed since it was imported: use another --state to import it again.`);
    }
    if (before?.finished) {
      report.count('events', 'present', before.done);
      continue;
    }
    const progress = before ?? { size: file.bytes.size, done: 0, finished: false };
    progress.size = file.bytes.size;
    if (progress.done > 0) report.count('events', 'present', progress.done);
    state.data.files[file.name] = progress;
    const translator = format.open(file.name);
    const sending: Promise<void>[] = [];
    let previous: Promise<void> = Promise.resolve();
    try {
      for await (const { at, records } of readRecords(file, progress.done, format.bytesOf)) {
        const events: ImportedEvent[] = [];
        const persons: ImportedPerson[] = [];
        const sort = (made: Made, index: number): void => {
          if ('problem' in made) report.count('events', 'skipped', 1, made.problem, `${file.name}, record ${at + index + 1}`);
          else if ('distinct_ids' in made) persons.push(made);
          else events.push(made);
        };
        for (const [index, record] of records.entries()) {
          const made = 'problem' in record ? record : translator(record.value);
          if (isList(made)) for (const one of made) sort(one, index);
          else sort(made, index);
        }
        requireEvents(file, at, records.length, events.length + persons.length, report);
        // persons come in the order of the file, and before the events of their chunk, which else would make them
        if (persons.length > 0) {
          await previous;
          await sendPersons(persons);
        }
        if (sending.length >= CHUNKS) await sending.shift();
        previous = Promise.all([previous, send(events)]).then(() => {
          progress.done = at + records.length;
          state.saveProgress();
          sent += events.length;
          onProgress(sent, file.name);
        });
        previous.catch(() => {});
        sending.push(previous);
      }
      await previous;
      progress.finished = true;
      state.save();
    } catch (error) {
      await previous;
      // what stands before the fault is stored; the file may be completed, and other files are not at fault
      if (!(error instanceof ImportError) || !error.message.startsWith(file.path)) throw error;
      faults.push(sentenceOf(error));
      report.note(sentenceOf(error));
    }
  }
  if (faults.length > 0) throw new ImportError(faults.join('\n'));
}

/** `Array.isArray` does not know lists that cannot be changed. */
const isList = (made: Made | readonly Made[]): made is readonly Made[] => Array.isArray(made);

/** @throws ImportError no record of the beginning of a file is an event: the format is another one */
function requireEvents(file: InputFile, at: number, records: number, events: number, report: ImportReport): void {
  if (at > 0 || events > 0 || records < 2) return;
  const [first] = report.reasonsOf('events');
  throw new ImportError(
    `${file.path} has no event among its first ${records} records (${first ?? 'unknown format'}): is the format right?`,
  );
}
