import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { FlaskConical } from 'lucide-react';
import { ListCount, ObjectList, ShowMore } from '../../app/ObjectList.js';
import { useMayCreate } from '../../app/object-level.js';
import { useProject, useProjectId } from '../../app/project-context.js';
import { StateBar } from '../../app/StateBar.js';
import { useNewLink } from '../../app/use-new-link.js';
import { useSearchChange } from '../../app/use-search-change.js';
import { conclusionText, daysRunning, guardsOf, STATUS_KINDS, STATUS_TEXTS } from '../../data/experiment-days.js';
import { type Experiment, experimentResultsQuery, experimentsQuery } from '../../data/experiments.js';
import { verdictOf } from '../../query/verdict.js';
import { Badge } from '../../ui/Badge.js';
import { LIST_ROWS, ListBody, PageHead } from '../../ui/PageHead.js';
import { Time } from '../../ui/Time.js';
import { type ExperimentsSearch, filterOfSearch } from './filter-of-search.js';

const route = getRouteApi('/p/$project/experiments');

const STATES = [
  { value: 'draft', label: 'Drafts' },
  { value: 'running', label: 'Running' },
  { value: 'paused', label: 'Paused' },
  { value: 'complete', label: 'Ended' },
  { value: 'archived', label: 'Archived' },
] as const;

/** The experiments of the project, the newest first. */
export function ExperimentsScreen() {
  const project = useProjectId();
  const search = route.useSearch();
  const mayCreate = useMayCreate('experiment');
  const list = useInfiniteQuery({ ...experimentsQuery(project, filterOfSearch(search)), placeholderData: (before) => before });
  const experiments = list.data?.pages.flatMap(({ results }) => results) ?? [];
  const set = useSearchChange<ExperimentsSearch>();
  const create = useNewLink('New experiment', mayCreate, `/p/${project}/experiments/new`);
  const count = list.data?.pages[0]?.count;
  const isFiltered = Boolean(search.search || search.is);
  return (
    <>
      <PageHead title="Experiments" badges={<ListCount count={count} />} actions={create} />
      <StateBar what="experiments" placeholder="Search name, words or flag" states={STATES} {...search} onChange={set} />
      <ListBody>
        <ObjectList
          list={list}
          one="experiment"
          many="experiments"
          isEmpty={experiments.length === 0}
          icon={<FlaskConical size={16} aria-hidden />}
          onShowAll={isFiltered ? () => set({ search: undefined, is: undefined }) : null}
          leftOut="Experiments with other words or in another state are left out."
          purpose="An experiment compares the variants of a flag, and says which is better and how sure that is."
          create={create}
        >
          <ul aria-label="Experiments" className={LIST_ROWS}>
            {experiments.map((experiment) => (
              <Row key={experiment.id} experiment={experiment} />
            ))}
          </ul>
        </ObjectList>
        <ShowMore list={list} what="experiments" />
      </ListBody>
    </>
  );
}

function Row({ experiment }: { experiment: Experiment }) {
  const project = useProjectId();
  const { timezone } = useProject();
  const { id, name, feature_flag_key: flag, status, created_at } = experiment;
  const days = daysRunning(experiment, Date.now());
  return (
    <li className="relative flex min-h-[50px] flex-wrap items-center gap-x-4 gap-y-1 px-6 py-2 hover:bg-hover max-sm:px-4">
      <span className="min-w-40 flex-[3] max-sm:min-w-[calc(100%-6rem)]">
        <Link
          to={`/p/${project}/experiments/${id}` as string}
          className="block truncate text-13 font-medium text-text after:absolute after:inset-0"
        >
          {name}
        </Link>
        <span className="block truncate font-mono text-12 text-text-3">{flag}</span>
      </span>
      <span className="w-20 max-sm:w-auto">
        <Badge kind={STATUS_KINDS[status]}>{STATUS_TEXTS[status]}</Badge>
      </span>
      <span className="tnum w-24 text-12 text-text-2 max-sm:w-auto">
        {days === null ? 'Not started' : status === 'complete' ? `${days} ${days === 1 ? 'day' : 'days'}` : `Day ${days}`}
      </span>
      <span className="min-w-40 flex-[3] text-12 text-text-2 wrap-anywhere">
        <ResultText experiment={experiment} />
      </span>
      <span className="w-20 text-right text-12 text-text-3 max-sm:hidden">
        <Time at={created_at} zone={timezone} />
      </span>
    </li>
  );
}

/** The result in words. */
function ResultText({ experiment }: { experiment: Experiment }) {
  const project = useProjectId();
  const { id, status, shipped_variant: shipped, conclusion } = experiment;
  const results = useQuery({ ...experimentResultsQuery(project, id), enabled: status !== 'draft' });
  if (status === 'draft') return 'No result before the launch';
  const ending = [
    ...(conclusion ? [conclusionText(conclusion)] : []),
    ...(shipped ? [`“${shipped}” was shipped to everybody`] : []),
  ].join(': ');
  if (ending) return ending;
  if (results.error) return results.error.message;
  if (!results.data) return 'Computing…';
  return verdictOf(results.data, guardsOf(experiment)).text;
}
