import type { EventsStore } from '../../ports/events.js';

/** Counts the stored answers of each survey (UUID) between `from` and `to` (exclusive). Partial answers of one submission count as one. */
export async function countAnswers(
  events: EventsStore,
  projectId: number,
  uuids: readonly string[],
  { from = null, to = null }: { from?: Date | null; to?: Date | null } = {},
): Promise<Map<string, number>> {
  const { rows } = await events.query<{ survey: string; answers: number }>({
    sql: `select ${SURVEY} as survey, uniqExact(coalesce(properties.\`$survey_submission_id\`.:String, toString(uuid))) as answers
      from events
      where project_id = {project:UInt32} and event = 'survey sent' and survey in {uuids:Array(String)} and ${WITHIN}
      group by survey`,
    params: { project: projectId, uuids, ...span({ from, to }) },
  });
  return new Map(rows.map(({ survey, answers }) => [survey, answers]));
}

const SURVEY = "ifNull(properties.`$survey_id`.:String, '')";
const WITHIN = `timestamp >= fromUnixTimestamp64Milli({from:Int64}) and timestamp < fromUnixTimestamp64Milli({to:Int64})`;
/** The end of 2299, the last year that ClickHouse can store. */
const LAST = Date.UTC(2299, 11, 31);
const span = ({ from, to }: { from: Date | null; to: Date | null }) => ({
  from: from?.getTime() ?? 0,
  to: to?.getTime() ?? LAST,
});

/** The events of surveys. */
export const SURVEY_EVENTS = ['survey shown', 'survey dismissed', 'survey sent'] as const;
export type SurveyEvent = (typeof SURVEY_EVENTS)[number];

/** How often an event happened. */
export interface EventCount {
  event: SurveyEvent;
  total_count: number;
  unique_persons: number;
  /** Of `survey shown`: the events of persons who neither answered nor dismissed. */
  total_count_only_seen: number;
  unique_persons_only_seen: number;
  first_seen: string | null;
  last_seen: string | null;
}

/** Counts the events of these surveys (UUIDs) between `from` and `to` (exclusive). */
export async function countSurveyEvents(
  events: EventsStore,
  projectId: number,
  uuids: readonly string[],
  { from, to }: { from: Date | null; to: Date | null },
): Promise<EventCount[]> {
  const { rows } = await events.query<EventCount>({
    sql: `select event, sum(times) as total_count, count() as unique_persons,
        sumIf(times, not is_over) as total_count_only_seen, countIf(not is_over) as unique_persons_only_seen,
        formatDateTime(min(first), '%Y-%m-%dT%H:%i:%SZ', 'UTC') as first_seen,
        formatDateTime(max(last), '%Y-%m-%dT%H:%i:%SZ', 'UTC') as last_seen
      from (
        select event, person, count() as times, min(at) as first, max(at) as last,
          max(event != 'survey shown') over (partition by person) as is_over
        from (
          select e.event as event, e.timestamp as at, if(o.is_known, o.person_id, e.person_id) as person
          from (
            select event, timestamp, person_id, distinct_id from events
            where project_id = {project:UInt32} and event in {events:Array(String)} and ${WITHIN}
              and ${SURVEY} in {uuids:Array(String)}
          ) as e
          left any join (
            select distinct_id, argMax(person_id, version) as person_id, true as is_known from person_overrides
            where project_id = {project:UInt32} group by distinct_id
          ) as o on o.distinct_id = e.distinct_id
        )
        group by event, person
      )
      group by event`,
    params: { project: projectId, uuids, events: SURVEY_EVENTS, ...span({ from, to }) },
    tenant: projectId,
  });
  return rows;
}
