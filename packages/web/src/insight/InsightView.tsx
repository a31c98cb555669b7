import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { readableName } from '@tidemark/charts';
import { RefreshCw } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { DateRange } from '../address/date-range.js';
import { useProjectId } from '../app/project-context.js';
import { AnswerTable } from '../chart/AnswerTable.js';
import { InsightChart } from '../chart/InsightChart.js';
import { type Answer, answerQuery, ask } from '../data/answer.js';
import { ApiFailure } from '../data/api.js';
import { DateRangePicker } from '../filter/DateRangePicker.js';
import type { Interval, Question } from '../query/question.js';
import { Button } from '../ui/Button.js';
import { IconButton } from '../ui/IconButton.js';
import { Select } from '../ui/Select.js';
import { Fault, Skeleton } from '../ui/states.js';
import { Time } from '../ui/Time.js';
import { DisplayPicker } from './DisplayPicker.js';
import { type PanelSeries, PeoplePanel } from './PeoplePanel.js';

const INTERVALS = (['minute', 'hour', 'day', 'week', 'month'] as const).map((value) => ({ value, label: `by ${value}` }));

export interface InsightViewProps {
  question: Question;
  onChange: (question: Question) => void;
  /** The index of the point whose people are shown; null: none. It stands in the address. */
  people: string | null;
  onPeople: (index: string | null) => void;
  /** Whether the question can be asked; otherwise the sentence says what is missing. */
  missing: string | null;
}

/** The answer to a question: bar with dates and display, chart, numbers. */
export function InsightView({ question, onChange, missing, people, onPeople }: InsightViewProps) {
  const project = useProjectId();
  const queries = useQueryClient();
  const options = answerQuery(project, missing === null ? question : null);
  const answer = useQuery({ ...options, placeholderData: keepPreviousData });
  const set = (fields: Partial<Question>) => onChange({ ...question, ...fields });
  const range: DateRange = { from: question.dateRange?.date_from ?? '-7d', to: question.dateRange?.date_to ?? null };
  const isOverTime = question.kind === 'TrendsQuery' || question.kind === 'StickinessQuery' || question.kind === 'LifecycleQuery';
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
        {answer.data?.last_refresh && (
          <span className="text-12 text-text-3">
            Computed <Time at={answer.data.last_refresh} zone={answer.data.timezone} />
            {answer.data.is_cached && ', known before'}
          </span>
        )}
        <IconButton label="Compute again" isSmall onPress={() => void refresh()}>
          <RefreshCw size={14} aria-hidden />
        </IconButton>
        {question.kind === 'TrendsQuery' && <DisplayPicker question={question} onChange={onChange} />}
      </div>
      <div className="bg-surface p-5 pb-2">
        {missing !== null && <p className="text-13 text-text-2">{missing}</p>}
        {answer.error && (
          <Fault title="This question has no answer" detail={faultText(answer.error)} onRetry={() => void answer.refetch()} />
        )}
        {!answer.error && answer.data && (
          <InsightChart
            query={question}
            answer={answer.data}
            isStale={answer.isPlaceholderData}
            height={380}
            {...(question.kind === 'TrendsQuery' && { onPoint: (index: number) => onPeople(String(index)) })}
          />
        )}
        {answer.isFetching && (
          <Computing key={JSON.stringify(question)} onStop={() => void queries.cancelQueries({ queryKey: options.queryKey })} />
        )}
        {answer.isPending && missing === null && !answer.error && <Skeleton rows={8} />}
      </div>
      {people !== null && answer.data && !answer.error && (
        <PeopleOf question={question} answer={answer.data} index={Number(people)} onClose={() => onPeople(null)} />
      )}
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

/** A series of the answer to a trend. */
interface AnsweredSeries {
  label?: string;
  days?: string[];
  data?: number[];
  breakdown_value?: PanelSeries['breakdown'];
  compare_label?: string | null;
}

/** The panel of the people behind a point of a trend. Series of the period before are left out: they are of other days. */
function PeopleOf({
  question,
  answer,
  index,
  onClose,
}: {
  question: Question;
  answer: Answer;
  index: number;
  onClose: () => void;
}) {
  const results = Array.isArray(answer.results) ? (answer.results as AnsweredSeries[]) : [];
  const current = results.filter(({ compare_label }) => compare_label !== 'previous');
  const day = current[0]?.days?.[index];
  if (day === undefined) return null;
  const series = current.map(
    ({ label, data, breakdown_value }, i): PanelSeries => ({
      index: i,
      label: readableName(label ?? ''),
      breakdown: breakdown_value ?? null,
      value: data?.[index] ?? 0,
    }),
  );
  const dayLabel = new Intl.DateTimeFormat('en-GB', {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    timeZone: 'UTC',
  }).format(new Date(day.slice(0, 10)));
  return <PeoplePanel key={index} question={question} day={day} dayLabel={dayLabel} series={series} onClose={onClose} />;
}

function faultText(error: Error): string {
  if (error instanceof ApiFailure && error.attr) return `${error.message} (${error.attr.replaceAll('__', ' › ')})`;
  return error.message;
}

/** After 300 ms: how long the question has been computed, and a way to stop it. */
function Computing({ onStop }: { onStop: () => void }) {
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    const begin = performance.now();
    const timer = setInterval(() => setSeconds((performance.now() - begin) / 1_000), 300);
    return () => clearInterval(timer);
  }, []);
  if (seconds < 0.3) return null;
  return (
    <p role="status" className="flex items-center gap-2 py-1 text-12 text-text-3">
      <span className="tnum">Computing for {seconds.toFixed(1)} s</span>
      <Button isSmall kind="quiet" onPress={onStop}>
        Stop
      </Button>
    </p>
  );
}
