import { useQuery } from '@tanstack/react-query';
import { formatDuration } from '@tidemark/charts';
import { type ReactNode, useMemo } from 'react';
import { useProjectId } from '../app/project-context.js';
import { type Answer, answerQuery } from '../data/answer.js';
import { eventsBehind, eventsIn } from '../query/events-behind.js';
import { meaningOf } from '../query/meaning.js';
import type { Question } from '../query/question.js';
import { CodeBlock } from '../ui/CodeBlock.js';
import { PopButton } from '../ui/PopButton.js';
import { exactTime, Time } from '../ui/Time.js';

type Computed = Pick<Answer, 'last_refresh' | 'complete_until' | 'is_cached' | 'timezone' | 'timings' | 'clickhouse'>;

export interface HowComputedProps {
  /** Null: a kind that the app cannot explain. */
  question: Question | null;
  answer: Computed;
  /** Names the answer where a screen has several. */
  name?: string;
}

/** When an answer was computed; pressed, also how, from how much, and what its numbers mean. */
export function HowComputed({ question, answer, name = 'this' }: HowComputedProps) {
  const { last_refresh: at, timezone } = answer;
  if (!at) return null;
  return (
    <PopButton
      label={`How ${name} was computed`}
      look="text"
      trigger={
        <span>
          Computed <Time at={at} zone={timezone} />
          {answer.is_cached && ', cached'}
        </span>
      }
    >
      {() => <Details question={question} answer={answer} name={name} />}
    </PopButton>
  );
}

function Details({ question, answer, name }: Required<HowComputedProps>) {
  const project = useProjectId();
  const { last_refresh: at, complete_until: until, timezone, timings = [], clickhouse, is_cached: isCached } = answer;
  const counting = useMemo(() => question && eventsBehind(question), [question]);
  const events = useQuery(answerQuery(project, counting));
  const whole = timings.find(({ k }) => k === '.')?.t;
  return (
    <div className="grid w-[440px] max-w-[calc(100vw-24px)] gap-3 p-3">
      <h2 className="text-13 font-strong wrap-anywhere">{`How ${name} was computed`}</h2>
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1 text-12">
        <Fact name="When">{exactTime(new Date(at ?? ''), timezone)}</Fact>
        {whole !== undefined && <Fact name="In">{formatDuration(whole)}</Fact>}
        {counting && (
          <Fact name="From">
            {events.error ? 'The events could not be counted' : events.data ? eventsText(eventsIn(events.data.results)) : '…'}
          </Fact>
        )}
        {until && (
          <Fact name="Complete until">{`${exactTime(new Date(until), timezone)}: every event stored before is in it`}</Fact>
        )}
        <Fact name="Shown">{isCached ? 'The answer computed then' : 'Computed for this request'}</Fact>
      </dl>
      {question && (
        <div className="grid gap-1 text-12 text-text-2">
          <h3 className="font-strong text-text">What the numbers mean</h3>
          {meaningOf(question).map((sentence) => (
            <p key={sentence}>{sentence}</p>
          ))}
        </div>
      )}
      {clickhouse && (
        <div className="grid gap-1">
          <h3 className="text-12 font-strong">SQL</h3>
          <div className="max-h-60 overflow-y-auto">
            <CodeBlock what="the SQL" code={clickhouse} />
          </div>
        </div>
      )}
    </div>
  );
}

const eventsText = (count: number): string => `${count.toLocaleString('en')} ${count === 1 ? 'event' : 'events'}`;

const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <>
    <dt className="text-text-3">{name}</dt>
    <dd className="tnum">{children}</dd>
  </>
);
