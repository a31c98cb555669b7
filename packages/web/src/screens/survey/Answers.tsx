import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { MessageSquare } from 'lucide-react';
import { useState } from 'react';
import { useProject, useProjectId } from '../../app/project-context.js';
import { AnswerTable } from '../../chart/AnswerTable.js';
import { InsightChart } from '../../chart/InsightChart.js';
import { MAX_SUBMISSIONS, type Survey, submissionsQuery, surveyStatsQuery } from '../../data/surveys.js';
import { Badge } from '../../ui/Badge.js';
import { Button } from '../../ui/Button.js';
import { Card } from '../../ui/Card.js';
import { Fault, Message, Skeleton } from '../../ui/states.js';
import { Time } from '../../ui/Time.js';
import { draftOf, type QuestionDraft } from './draft.js';
import { type QuestionSummary, summaryOf } from './summary.js';

/** What people answered: the numbers of the survey, and each question with its chart or texts. */
export function Answers({ survey }: { survey: Survey }) {
  const project = useProjectId();
  const submissions = useQuery(submissionsQuery(project, survey));
  if (submissions.isPending)
    return (
      <Card>
        <Skeleton rows={6} />
      </Card>
    );
  if (submissions.error)
    return (
      <Card>
        <Fault
          title="The answers could not be loaded"
          detail={submissions.error.message}
          onRetry={() => void submissions.refetch()}
        />
      </Card>
    );
  const all = submissions.data;
  return (
    <div className="grid max-w-4xl grid-cols-[minmax(0,1fr)] gap-3">
      <Numbers survey={survey} />
      {all.length >= MAX_SUBMISSIONS && (
        <p className="text-12 text-text-2">{`Of the latest ${MAX_SUBMISSIONS.toLocaleString('en')} answers.`}</p>
      )}
      {all.length === 0 ? (
        <Card>
          <Message icon={<MessageSquare size={16} aria-hidden />} title="No answers yet">
            {survey.start_date === null
              ? 'Launch the survey, and visitors of your pages are asked.'
              : 'Answers appear here as soon as somebody sends one.'}
          </Message>
        </Card>
      ) : (
        draftOf(survey).questions.map((question) => (
          <QuestionCard key={question.key} question={question} summary={summaryOf(question, all)} />
        ))
      )}
    </div>
  );
}

function Numbers({ survey: { id } }: { survey: Survey }) {
  const project = useProjectId();
  const { data } = useQuery(surveyStatsQuery(project, id));
  if (!data) return null;
  const { stats, rates } = data;
  const numbers = [
    { label: 'Shown', value: stats['survey shown'].total_count.toLocaleString('en') },
    { label: 'Answered', value: stats['survey sent'].total_count.toLocaleString('en') },
    { label: 'Dismissed', value: stats['survey dismissed'].total_count.toLocaleString('en') },
    { label: 'Answer rate', value: stats['survey shown'].total_count === 0 ? 'none yet' : `${rates.response_rate}%` },
  ];
  return (
    <Card>
      <dl className="grid grid-cols-4 divide-x divide-border max-sm:grid-cols-2">
        {numbers.map(({ label, value }) => (
          <div key={label} className="px-4 py-3">
            <dt className="text-12 text-text-2">{label}</dt>
            <dd className="tnum text-20 font-strong">{value}</dd>
          </div>
        ))}
      </dl>
    </Card>
  );
}

/** Height of the chart: ratings are columns, choices are rows. */
const heightOf = ({ kind }: QuestionDraft, count: number): number =>
  kind === 'rating' || kind === 'nps' ? 200 : 44 + count * 32;

function QuestionCard({ question, summary }: { question: QuestionDraft; summary: QuestionSummary }) {
  const { timezone } = useProject();
  const { answered, counts, score, texts } = summary;
  const isRating = question.kind === 'rating' || question.kind === 'nps';
  const query = {
    kind: 'DataVisualizationNode',
    source: { kind: 'HogQLQuery', query: '' },
    display: isRating ? 'ActionsBar' : 'ActionsBarValue',
    chartSettings: { xAxis: { column: 'Answer' }, yAxis: [{ column: 'Answers' }] },
  };
  const answer = { results: counts, columns: ['Answer', 'Answers'], timezone };
  return (
    <Card className="px-4 py-3">
      <div className="flex flex-wrap items-center gap-2">
        <h2 className="min-w-0 flex-1 text-14 font-strong wrap-anywhere">{question.question}</h2>
        {score && <Badge kind="accent">{score}</Badge>}
        <span className="tnum text-12 text-text-2">{`${answered.toLocaleString('en')} answered`}</span>
      </div>
      {counts.length > 0 && answered > 0 && (
        <div className="mt-2">
          <InsightChart query={query} answer={answer} height={heightOf(question, counts.length)} />
          <details className="mt-1">
            <summary className="cursor-pointer text-12 text-text-2">Numbers</summary>
            <AnswerTable query={query.source} answer={answer} label={`Answers to ${question.question}`} />
          </details>
        </div>
      )}
      {texts.length > 0 && <Texts texts={texts} />}
      {answered === 0 && <p className="mt-1 text-13 text-text-2">Nobody answered this question.</p>}
    </Card>
  );
}

/** Texts that are shown at first, and with each press more. */
const STEP = 25;

function Texts({ texts }: { texts: QuestionSummary['texts'] }) {
  const project = useProjectId();
  const { timezone } = useProject();
  const [shown, setShown] = useState(STEP);
  return (
    <>
      <ul className="mt-2 divide-y divide-border border-t border-border">
        {texts.slice(0, shown).map(({ text, submission: { uuid, personId, person, timestamp, isComplete } }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: one submission may have several own choices
          <li key={`${uuid}-${index}`} className="flex flex-wrap items-baseline gap-x-3 gap-y-0.5 py-2">
            <span className="min-w-40 flex-1 text-13 whitespace-pre-line wrap-anywhere">{text}</span>
            {!isComplete && <Badge>Not finished</Badge>}
            {personId ? (
              <Link to={`/p/${project}/persons/${personId}` as string} className="max-w-52 truncate text-12 text-accent-text">
                {person}
              </Link>
            ) : (
              <span className="max-w-52 truncate text-12 text-text-2">{person}</span>
            )}
            <span className="text-12 text-text-3">
              <Time at={timestamp} zone={timezone} />
            </span>
          </li>
        ))}
      </ul>
      {texts.length > shown && (
        <Button isSmall onPress={() => setShown(shown + STEP * 4)}>
          {`Show more of ${texts.length.toLocaleString('en')}`}
        </Button>
      )}
    </>
  );
}
