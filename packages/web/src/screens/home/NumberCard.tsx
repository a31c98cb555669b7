import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { describeInsight, numberParts, sparklineSvg } from '@tidemark/charts';
import { ArrowDownRight, ArrowRight, ArrowUpRight } from 'lucide-react';
import { useProjectId } from '../../app/project-context.js';
import { type Answer, answerQuery } from '../../data/answer.js';
import type { Question } from '../../query/question.js';
import { Badge } from '../../ui/Badge.js';
import { Button } from '../../ui/Button.js';
import { HomeCard } from './HomeCard.js';

const ARROWS = { up: ArrowUpRight, down: ArrowDownRight, none: ArrowRight };
const KINDS = { good: 'good', bad: 'bad', none: 'neutral' } as const;

export interface NumberCardProps {
  title: string;
  /** A trend that is shown as a single number, compared with a week before. */
  question: Question;
  /** What it is compared with: "last Mon, 16:34". */
  before: string;
  /** What is counted, in a sentence. */
  explanation: string;
}

/** A number of today with its change, and its course over the hours. */
export function NumberCard({ title, question, before, explanation }: NumberCardProps) {
  const project = useProjectId();
  const answer = useQuery({ ...answerQuery(project, question), placeholderData: keepPreviousData });
  return (
    <HomeCard title={title}>
      <div className="min-h-[74px] px-4 pb-3" title={explanation}>
        {answer.error && <Failed detail={answer.error.message} onRetry={() => void answer.refetch()} />}
        {!answer.error && answer.data && <NumberOf question={question} answer={answer.data} before={before} />}
      </div>
    </HomeCard>
  );
}

function NumberOf({ question, answer, before }: { question: Question; answer: Answer; before: string }) {
  const project = useProjectId();
  const insight = describeInsight(question, answer, { now: Date.now(), timezone: answer.timezone });
  if (insight.kind !== 'series') return null;
  const { value, change, before: compared, points, unfinished, about } = numberParts(insight);
  const Arrow = ARROWS[change?.direction ?? 'none'];
  const svg = points.length > 1 ? sparklineSvg({ points, unfinished, about }, { width: 96, height: 40 }) : '';
  return (
    <div className="flex items-end gap-3 max-sm:flex-col max-sm:items-stretch max-sm:gap-1">
      <div className="min-w-0 flex-1">
        <p className="tnum text-28 leading-9 font-strong tracking-tight">
          <Link
            to={`/p/${project}/insights/new` as string}
            search={{ q: JSON.stringify(question) } as never}
            title="Open as insight"
            className="text-text"
          >
            {value}
          </Link>
        </p>
        <p className="flex flex-wrap items-center gap-x-2 text-12 text-text-2">
          {change && (
            <Badge kind={KINDS[change.verdict]} icon={<Arrow size={12} aria-hidden />}>
              {change.text}
            </Badge>
          )}
          <span className="tnum" title={`${compared ?? 'Nothing'} by ${before}`}>
            {change ? `vs ${before}` : `vs 0 by ${before}`}
          </span>
        </p>
      </div>
      {svg && (
        <div
          aria-hidden
          className="shrink-0 max-xl:hidden max-sm:block [&_svg]:block"
          // biome-ignore lint/security/noDangerouslySetInnerHtml: drawn by our renderer out of numbers
          dangerouslySetInnerHTML={{ __html: svg }}
        />
      )}
    </div>
  );
}

/** A card that could not be loaded. */
export const Failed = ({ detail, onRetry }: { detail: string; onRetry: () => void }) => (
  <div role="alert" className="flex items-center gap-3 py-2 text-12 text-bad">
    <span className="min-w-0 flex-1">{detail}</span>
    <Button isSmall onPress={onRetry}>
      Try again
    </Button>
  </div>
);
