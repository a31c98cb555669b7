import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Goal } from '@tidemark/charts';
import { RefreshCw } from 'lucide-react';
import { useMemo } from 'react';
import type { DateRange } from '../address/date-range.js';
import { AnswerFault } from '../app/LoadFault.js';
import { useProjectId } from '../app/project-context.js';
import { AnswerTable } from '../chart/AnswerTable.js';
import { InsightChart } from '../chart/InsightChart.js';
import { annotationsQuery } from '../data/annotations.js';
import { answerQuery, ask } from '../data/answer.js';
import { ApiFailure } from '../data/api.js';
import { DateRangePicker } from '../filter/DateRangePicker.js';
import { happeningsOf } from '../query/happenings.js';
import { hasPeople, peopleBehind } from '../query/people-behind.js';
import type { Interval, Question } from '../query/question.js';
import { IconButton } from '../ui/IconButton.js';
import { Select } from '../ui/Select.js';
import { Skeleton } from '../ui/states.js';
import { Computing, Stopped } from './Computing.js';
import { DisplayPicker } from './DisplayPicker.js';
import { HowComputed } from './HowComputed.js';
import { PeoplePanel } from './PeoplePanel.js';

const INTERVALS = (['minute', 'hour', 'day', 'week', 'month'] as const).map((value) => ({ value, label: `by ${value}` }));

export interface InsightViewProps {
  question: Question;
  onChange: (question: Question) => void;
  /** The name of the point whose people are shown; null: none. It stands in the address. */
  people: string | null;
  onPeople: (point: string | null) => void;
  /** Number of the insight that is shown; null: it is not saved. */
  insight: number | null;
  /** Lines across the chart, such as the bounds of alerts. */
  goals?: readonly Goal[];
  /** Whether the question can be asked; otherwise the sentence says what is missing. */
  missing: string | null;
}

/** The answer to a question: bar with dates and display, chart, numbers. */
export function InsightView({ question, onChange, missing, insight, people, onPeople, goals }: InsightViewProps) {
  const project = useProjectId();
  const queries = useQueryClient();
  const options = answerQuery(project, missing === null ? question : null);
  const answer = useQuery({ ...options, placeholderData: keepPreviousData });
  const set = (fields: Partial<Question>) => onChange({ ...question, ...fields });
  const range: DateRange = { from: question.dateRange?.date_from ?? '-7d', to: question.dateRange?.date_to ?? null };
  const isOverTime = question.kind === 'TrendsQuery' || question.kind === 'StickinessQuery' || question.kind === 'LifecycleQuery';
  const annotations = useQuery(annotationsQuery(project));
  const happenings = useMemo(() => happeningsOf(annotations.data?.results ?? [], insight), [annotations.data, insight]);
  // the points of the question before are none of this one
  const results = answer.isPlaceholderData ? null : answer.data?.results;
  const behind = useMemo(
    () => (people === null || !results ? null : peopleBehind(question, results, people)),
    [question, results, people],
  );
  const refresh = () =>
    queries.fetchQuery({ ...options, staleTime: 0, queryFn: ({ signal }) => ask(project, question, 'force_blocking', signal) });
  return (
    <div className="flex min-h-0 min-w-0 flex-1 flex-col overflow-y-auto max-md:flex-none max-md:overflow-visible">
      <div className="flex min-h-12 shrink-0 flex-wrap items-center gap-2 border-b border-border bg-surface px-5 py-1.5">
        {question.kind !== 'HogQLQuery' && (
          <DateRangePicker range={range} onChange={({ from, to }) => set({ dateRange: { date_from: from, date_to: to } })} />
        )}
        {isOverTime && (
          <div className="w-28">
            <Select
              label="Interval"
              hideLabel
              isSmall
              options={INTERVALS}
              value={question.interval ?? 'day'}
              onChange={(interval: Interval) => set({ interval })}
            />
          </div>
        )}
        <span className="flex-1" />
        {answer.data?.last_refresh && <HowComputed question={question} answer={answer.data} />}
        <IconButton label="Compute again" isSmall onPress={() => void refresh()}>
          <RefreshCw size={14} aria-hidden />
        </IconButton>
        {question.kind === 'TrendsQuery' && <DisplayPicker question={question} onChange={onChange} />}
      </div>
      <div className="bg-surface p-5 pb-2">
        {missing !== null && <p className="text-13 text-text-2">{missing}</p>}
        {answer.error && (
          <AnswerFault
            title="This question has no answer"
            error={answer.error}
            detail={faultText(answer.error)}
            onRetry={() => void answer.refetch()}
          />
        )}
        {!answer.error && answer.data && (
          <InsightChart
            query={question}
            answer={answer.data}
            isStale={answer.isPlaceholderData}
            height={heightOf(question, answer.data.results)}
            happenings={happenings}
            onRange={({ from, to }) => set({ dateRange: { date_from: from, date_to: to } })}
            {...(goals && { goals })}
            {...(hasPeople(question) && { onPoint: onPeople })}
          />
        )}
        {answer.isFetching && (
          <Computing key={JSON.stringify(question)} onStop={() => void queries.cancelQueries({ queryKey: options.queryKey })} />
        )}
        {answer.isPending && answer.fetchStatus !== 'idle' && <Skeleton rows={8} />}
        {answer.isPending && answer.fetchStatus === 'idle' && missing === null && (
          <Stopped onAgain={() => void answer.refetch()} />
        )}
      </div>
      {behind && <PeoplePanel behind={behind} onSelect={onPeople} onClose={() => onPeople(null)} />}
      {answer.data && !answer.error && (
        <section className="border-t border-border bg-surface px-2 pb-6">
          <h2 className="px-3 py-3 text-13 font-strong">Numbers</h2>
          {answer.data.warnings?.map((warning) => (
            <p key={warning} className="mx-3 mb-2 rounded-m bg-warn-soft px-3 py-2 text-13 text-warn">
              {warning}
            </p>
          ))}
          <AnswerTable query={question} answer={answer.data} label="Numbers" />
        </section>
      )}
    </div>
  );
}

/** Pixels of a chart, of a row of retention, and of its head and foot. */
const HEIGHT = 380;
const ROW = 24;
const HEAD_AND_FOOT = 48;

/** The height of a chart. Retention has a row for each cohort, and no row is left out. */
function heightOf({ kind }: Question, results: unknown): number {
  if (kind !== 'RetentionQuery' || !Array.isArray(results)) return HEIGHT;
  return Math.max(HEIGHT, HEAD_AND_FOOT + ROW * (results.length + 1));
}

function faultText(error: Error): string {
  if (error instanceof ApiFailure && error.attr) return `${error.message} (${error.attr.replaceAll('__', ' › ')})`;
  return error.message;
}
