import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Megaphone } from 'lucide-react';
import { ListCount, ObjectList, ShowMore } from '../../app/ObjectList.js';
import { useMayCreate } from '../../app/object-level.js';
import { useProject, useProjectId } from '../../app/project-context.js';
import { useNewLink } from '../../app/use-new-link.js';
import { useSearchChange } from '../../app/use-search-change.js';
import {
  SURVEY_STATE_KINDS,
  SURVEY_STATE_TEXTS,
  type Survey,
  stateOf,
  surveyAnswersQuery,
  surveysQuery,
  surveysShownQuery,
} from '../../data/surveys.js';
import { Badge } from '../../ui/Badge.js';
import { LIST_ROWS, ListBody, PageBar, PageHead } from '../../ui/PageHead.js';
import { SearchField } from '../../ui/SearchField.js';
import { Segmented } from '../../ui/Segmented.js';
import { Time } from '../../ui/Time.js';
import type { SurveysSearch } from './route.js';

const route = getRouteApi('/p/$project/surveys');

const STATES = [
  { value: 'all', label: 'All' },
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
  const list = useInfiniteQuery({ ...surveysQuery(project, search.search ?? ''), placeholderData: (before) => before });
  const answers = useQuery(surveyAnswersQuery(project));
  const shown = useQuery(surveysShownQuery(project));
  const now = Date.now();
  const all = list.data?.pages.flatMap(({ results }) => results) ?? [];
  const surveys = all.filter((survey) => {
    const state = stateOf(survey, now);
    return search.is ? state === search.is : state !== 'archived';
  });
  const set = useSearchChange<SurveysSearch>();
  const create = useNewLink('New survey', mayCreate, `/p/${project}/surveys/new`);
  const isFiltered = Boolean(search.search || search.is);
  return (
    <>
      <PageHead title="Surveys" badges={<ListCount count={list.data && surveys.length} />} actions={create} />
      <PageBar>
        <div className="w-64 max-sm:w-full">
          <SearchField
            label="Search surveys"
            placeholder="Search name or words"
            value={search.search ?? ''}
            onChange={(text) => set({ search: text || undefined })}
          />
        </div>
        <Segmented
          label="State"
          options={STATES}
          value={search.is ?? 'all'}
          onChange={(state) => set({ is: state === 'all' ? undefined : state })}
        />
      </PageBar>
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
