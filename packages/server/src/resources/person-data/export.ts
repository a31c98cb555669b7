import { Readable } from 'node:stream';
import type { ProjectContext } from '../../auth/index.js';
import { isoTime } from '../../http/dates.js';
import { displayNameProperties, nameProperties, type PersonRecord, personView } from '../persons/index.js';
import { recordingsOf } from '../recordings/index.js';
import { allDistinctIds, cohortsOf, eventsOf, hashKeysOf } from './store.js';

/** Everything that is stored about a person, as the text of one JSON file. The parts that may be long are streamed. */
export async function exportPerson({ deps, project }: ProjectContext, person: PersonRecord): Promise<Readable> {
  const { db, events } = deps;
  const distinctIds = await allDistinctIds(db, project.id, person.id);
  const [names, cohorts, hashKeys, recordings] = await Promise.all([
    displayNameProperties(db, project.id),
    cohortsOf(db, project.id, person.id),
    hashKeysOf(db, project.id, person.id),
    recordingsOf(db, project.id, distinctIds),
  ]);
  const head = {
    person: personView(person, nameProperties(names)),
    distinct_ids: distinctIds,
    cohorts,
    feature_flag_overrides: hashKeys,
    recordings: recordings.map(({ session_id, start_time, end_time, start_url, click_count, keypress_count, size }) => ({
      id: session_id,
      start_time: isoTime(start_time),
      end_time: isoTime(end_time),
      start_url,
      click_count,
      keypress_count,
      bytes: Number(size),
    })),
  };
  async function* text(): AsyncGenerator<string> {
    yield `${JSON.stringify(head, null, 1).slice(0, -2)},\n "events": [`;
    let separator = '\n';
    for await (const page of eventsOf(events, project.id, distinctIds)) {
      const lines = page.map(({ at, properties, ...event }) =>
        JSON.stringify({ ...event, timestamp: isoTime(new Date(at)), properties: JSON.parse(properties) }),
      );
      if (lines.length > 0) yield `${separator}${lines.join(',\n')}`;
      if (lines.length > 0) separator = ',\n';
    }
    yield '\n]}\n';
  }
  return Readable.from(text());
}
