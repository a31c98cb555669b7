import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Megaphone } from 'lucide-react';
import { ListCount, ObjectList, ShowMore } from '../../app/ObjectList.js';
import { useMayCreate } from '../../app/object-level.js';
import { useProject, useProjectId } from '../../app/project-context.js';
import { StateBar } from '../../app/StateBar.js';
import { useNewLink } from '../../app/use-new-link.js';
import { useSearchChange } from '../../app/use-search-change.js';
import {
  SURVEY_STATE_KINDS,
  SURVEY_STATE_TEXTS,
  type Survey,
  type SurveyFilter,
  stateOf,
  surveyAnswersQuery,
  surveysQuery,
  surveysShownQuery,
} from '../../data/surveys.js';
import { Badge } from '../../ui/Badge.js';
import { LIST_ROWS, ListBody, PageHead } from '../../ui/PageHead.js';
import { Time } from '../../ui/Time.js';

const route = getRouteApi('/p/$project/surveys');

const STATES = [
  { value: 'draft', label: 'Drafts' },
  { value: 'scheduled', label: 'Scheduled' },
  { value: 'running', label: 'Running' },
  { value: 'ended', label: 'Ended' },
  { value: 'archived', label: 'Archived' },
] as const;

/** The surveys of the project, the newest first. */
export function SurveysScreen() {
  const project = useProjectId();
  const search = route.useSearch();
  const mayCreate = useMayCreate('survey');
  const list = useInfiniteQuery({ ...surveysQuery(project, search), placeholderData: (before) => before });
  const answers = useQuery(surveyAnswersQuery(project));
  const shown = useQuery(surveysShownQuery(project));
  const surveys = list.data?.pages.flatMap(({ results }) => results) ?? [];
  const set = useSearchChange<SurveyFilter>();
  const create = useNewLink('New survey', mayCreate, `/p/${project}/surveys/new`);
  const isFiltered = Boolean(search.search || search.is);
  return (
    <>
      <PageHead title="Surveys" badges={<ListCount count={list.data?.pages[0]?.count} />} actions={create} />
      <StateBar what="surveys" placeholder="Search name or words" states={STATES} {...search} onChange={set} />
      <ListBody>
        <ObjectList
          list={list}
          one="survey"
          many="surveys"
          isEmpty={surveys.length === 0}
          icon={<Megaphone size={16} aria-hidden />}
          onShowAll={isFiltered ? () => set({ search: undefined, is: undefined }) : null}
          leftOut="Surveys with other words or in another state are left out."
          purpose="A survey asks the visitors of your pages, and its answers stand beside what people do."
          create={create}
        >
          <ul aria-label="Surveys" className={LIST_ROWS}>
            {surveys.map((survey) => (
              <Row
                key={survey.id}
                survey={survey}
                answers={answers.data ? (answers.data[survey.id] ?? 0) : null}
                shown={shown.data ? (shown.data[survey.id] ?? 0) : null}
              />
            ))}
          </ul>
        </ObjectList>
        <ShowMore list={list} what="surveys" />
      </ListBody>
    </>
  );
}

interface RowProps {
  survey: Survey;
  /** Null: not counted yet. */
  answers: number | null;
  shown: number | null;
}

function Row({ survey, answers, shown }: RowProps) {
  const project = useProjectId();
  const { timezone } = useProject();
  const state = stateOf(survey, Date.now());
  const { id, name, questions, created_at } = survey;
  return (
    <li className="relative flex min-h-[50px] flex-wrap items-center gap-x-4 gap-y-1 px-6 py-2 hover:bg-hover max-sm:px-4">
      <span className="min-w-40 flex-[3]">
        <Link
          to={`/p/${project}/surveys/${id}` as string}
          className="block truncate text-13 font-medium text-text after:absolute after:inset-0"
        >
          {name}
        </Link>
        <span className="block truncate text-12 text-text-3">{questions[0]?.question}</span>
      </span>
      <span className="w-20 max-sm:w-auto">
        <Badge kind={SURVEY_STATE_KINDS[state]}>{SURVEY_STATE_TEXTS[state]}</Badge>
      </span>
      <span className="tnum w-28 text-right text-13 max-sm:basis-full max-sm:text-left max-sm:text-12">
        {answers === null ? '' : `${answers.toLocaleString('en')} ${answers === 1 ? 'answer' : 'answers'}`}
      </span>
      <span className="tnum w-36 text-right text-12 text-text-2 max-sm:hidden">
        {answers === null || !shown
          ? 'not shown yet'
          : `${((answers / shown) * 100).toFixed(1)}% of ${shown.toLocaleString('en')} shown`}
      </span>
      <span className="w-20 text-right text-12 text-text-3 max-sm:hidden">
        <Time at={created_at} zone={timezone} />
      </span>
    </li>
  );
}
