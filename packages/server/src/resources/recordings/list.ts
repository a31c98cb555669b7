import { accessOf } from '../../access/index.js';
import { createZone, resolveDate } from '../../analytics/index.js';
import type { ProjectContext } from '../../auth/index.js';
import type { Page } from '../../http/pagination.js';
import { ApiError } from '../../kernel/errors.js';
import type { EventsStore } from '../../ports/events.js';
import { showPersons } from '../persons/index.js';
import { hiddenProfiles, queryAccessOf } from '../results/index.js';
import type { RecordingQuery } from './schema.js';
import { listRecordings, type RecordingFilter, type RecordingRow } from './store.js';
import { recordingView } from './view.js';

const DEFAULT_FROM = '-7d';

/** A page of the recordings that match a query. @throws ApiError invalid_input: not a date; permission_denied */
export async function findRecordings(context: ProjectContext, query: RecordingQuery, page: Page) {
  const { deps, project } = context;
  const { events, ...rest } = query;
  const access = await accessOf(context, 'session_recording');
  access.requireResource('viewer');
  const filter: RecordingFilter = { ...rest, ...readDates(context, query), hidden: access.hiddenIds };
  if (events) {
    const sessions = await sessionsWithEvents(deps.events, project.id, events, filter.from);
    filter.session_ids = query.session_ids?.filter((id) => sessions.includes(id)) ?? sessions;
  }
  const isEmpty = filter.session_ids?.length === 0;
  const rows = isEmpty ? [] : await listRecordings(deps.db, project.id, filter, page);
  return { has_next: rows.length > page.limit, results: await showRecordings(context, rows.slice(0, page.limit)) };
}

/** Recordings as the API shows them, with their persons unless these are hidden from the caller. */
export async function showRecordings(context: ProjectContext, rows: readonly RecordingRow[]) {
  const { deps, project, principal } = context;
  const hidden = await hiddenProfiles(queryAccessOf(context));
  const uuids = hidden.has('person') ? [] : [...new Set(rows.flatMap(({ person_uuid }) => (person_uuid ? [person_uuid] : [])))];
  const persons = new Map((await showPersons(deps.db, project.id, uuids)).map((person) => [person.uuid, person]));
  const viewer = { email: principal.email, now: deps.clock.now() };
  return rows.map((row) => recordingView(row, persons.get(row.person_uuid ?? '') ?? null, viewer));
}

function readDates({ deps, project }: ProjectContext, query: RecordingQuery): { from: Date | null; to: Date | null } {
  const moment = { now: deps.clock.now(), zone: createZone(project.timezone) };
  const read = (text: string, attr: string) => {
    const date = resolveDate(text, moment);
    if (!date) throw new ApiError('invalid_input', `"${text.slice(0, 100)}" is not a date.`, attr);
    return date;
  };
  const first = query.date_from || (query.session_ids ? 'all' : DEFAULT_FROM);
  const from = first === 'all' ? null : new Date(read(first, 'date_from').instant);
  if (!query.date_to) return { from, to: null };
  const { instant, end } = read(query.date_to, 'date_to');
  return { from, to: new Date(end ?? instant + 1) };
}

/** Maximum sessions per statement; more ids would not fit into a statement of the other store. */
const MAX_SESSIONS = 20_000;

/** The newest sessions in which all of these events were captured. */
async function sessionsWithEvents(
  events: EventsStore,
  projectId: number,
  names: readonly string[],
  from: Date | null,
): Promise<string[]> {
  const { rows } = await events.query<{ session_id: string }>({
    sql: `select properties.\`$session_id\`.:String as session_id
      from events
      where project_id = {project:UInt32} and event in {names:Array(String)} and timestamp >= fromUnixTimestamp64Milli({from:Int64})
        and session_id != ''
      group by session_id
      having uniqExact(event) = {count:UInt32}
      order by max(timestamp) desc
      limit ${MAX_SESSIONS}`,
    params: { project: projectId, names, from: from?.getTime() ?? 0, count: new Set(names).size },
  });
  return rows.map(({ session_id }) => session_id);
}
