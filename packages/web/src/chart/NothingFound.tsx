import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { EmptyTexts } from '@tidemark/charts';
import { Button } from 'react-aria-components';
import type { DateRange } from '../address/date-range.js';
import { useProjectId } from '../app/project-context.js';
import { answerQuery } from '../data/answer.js';
import { absenceOf, type CountedEvent, neededEvents } from '../query/last-seen.js';
import { type Question, unwrapQuestion } from '../query/question.js';
import { Message } from '../ui/states.js';
import { shortDay } from '../ui/Time.js';

const LINK = 'cursor-pointer whitespace-nowrap text-accent-text underline';

export interface NothingFoundProps {
  query: unknown;
  /** What a chart without data says of itself. */
  texts: EmptyTexts;
  /** Dates that replace those of the query; null: none do. */
  range: DateRange | null;
  /** Shows other dates. */
  onRange: ((range: DateRange) => void) | undefined;
  /** IANA name of the zone of days. */
  zone: string;
  /** Where the chart would stand. */
  place: 'chart' | 'tile';
}

/** In place of a chart without data: when its events were last received, and the dates that show them. */
export function NothingFound({ query, texts: { fact, cause }, range, onRange, zone, place }: NothingFoundProps) {
  const project = useProjectId();
  const question = unwrapQuestion(query);
  const events = question ? neededEvents(question) : [];
  const { data: answer } = useQuery(lastEventQuery(project, events));
  const now = Date.now();
  const last = answer && lastTime(answer.results);
  if (last) {
    const dates = range ?? rangeOf(question?.dateRange);
    const absence = absenceOf(dates, last, shortDay(new Date(last), now, zone), now);
    return (
      <Message place={place} title={fact}>
        {absence.cause}{' '}
        {absence.longer && onRange && (
          <Button className={LINK} onPress={() => absence.longer && onRange(absence.longer.range)}>
            {absence.longer.label}
          </Button>
        )}
      </Message>
    );
  }
  const [event] = events;
  if (last === null && events.length === 1 && event !== undefined) {
    return (
      <Message place={place} title={event === null ? 'No event was received yet' : `“${event}” was never received`}>
        {event === null ? 'Send the first one.' : 'Send it, or choose another event.'}{' '}
        <Link to={`/p/${project}/install` as string} className={LINK}>
          How to send it
        </Link>
      </Message>
    );
  }
  return (
    <Message place={place} title={fact}>
      {cause}
    </Message>
  );
}

/** Asks when the last of some events was; null among them: any event. */
function lastEventQuery(project: string, events: readonly CountedEvent[]) {
  const condition = events.includes(null) ? '' : ' and event in {events}';
  const question: Question = {
    kind: 'HogQLQuery',
    query: `select toUnixTimestamp(max(timestamp)) from events where timestamp <= now()${condition} having count() > 0`,
    values: { events },
  };
  return answerQuery(project, events.length === 0 ? null : question);
}

/** The time in the answer, epoch milliseconds; null: there was no event. */
function lastTime(results: unknown): number | null {
  const [row] = Array.isArray(results) ? (results as unknown[][]) : [];
  return row ? Number(row[0]) * 1_000 : null;
}

/** The dates of a question; its default is the last week. */
const rangeOf = (dates: { date_from?: string | null; date_to?: string | null } | null | undefined): DateRange => ({
  from: dates?.date_from ?? '-7d',
  to: dates?.date_to ?? null,
});
