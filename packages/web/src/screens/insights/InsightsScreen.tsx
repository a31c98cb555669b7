import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { ChartLine } from 'lucide-react';
import { ObjectList } from '../../app/ObjectList.js';
import { useMayCreate } from '../../app/object-level.js';
import { useProject, useProjectId } from '../../app/project-context.js';
import { useNewLink } from '../../app/use-new-link.js';
import { useSearchChange } from '../../app/use-search-change.js';
import { type InsightRow, insightsQuery } from '../../data/insights.js';
import { InsightTabs } from '../../insight/InsightTabs.js';
import { KIND_ICONS } from '../../insight/kind-icons.js';
import { KINDS, unwrapQuestion } from '../../query/question.js';
import { PageBar, PageHead } from '../../ui/PageHead.js';
import { SearchField } from '../../ui/SearchField.js';
import { Time } from '../../ui/Time.js';
import { VirtualRows } from '../../ui/VirtualRows.js';

const route = getRouteApi('/p/$project/insights');

/** Height of a row in pixels, also on phones. */
const ROW = 50;
const COLUMNS =
  'grid grid-cols-[16px_minmax(0,1fr)_110px_140px_96px] items-center gap-x-3 px-6 max-lg:grid-cols-[16px_minmax(0,1fr)_auto] max-sm:px-4';

/** The saved insights of the project. */
export function InsightsScreen() {
  const project = useProjectId();
  const { search = '' } = route.useSearch();
  const set = useSearchChange<{ search?: string }>();
  const insights = useInfiniteQuery(insightsQuery(project, search));
  const shown = insights.data?.pages.flatMap(({ results }) => results) ?? [];
  const create = useNewLink('New insight', useMayCreate('insight'), `/p/${project}/insights/new`);
  return (
    <>
      <PageHead title="Insights" actions={create} />
      <PageBar>
        <InsightTabs selected="insights" />
        <div className="w-64 max-sm:w-full">
          <SearchField label="Search insights" value={search} onChange={(text) => set({ search: text || undefined })} />
        </div>
      </PageBar>
      <ObjectList
        list={insights}
        one="insight"
        many="insights"
        isEmpty={shown.length === 0}
        icon={<ChartLine size={16} aria-hidden />}
        onShowAll={search ? () => set({ search: undefined }) : null}
        leftOut="Insights with other words are left out."
        purpose="An insight is a question about events, people or revenue, with its chart."
        create={create}
      >
        <VirtualRows
          label="Insights"
          items={shown}
          keyOf={({ short_id }) => short_id}
          height={ROW}
          columns={COLUMNS}
          hasMore={insights.hasNextPage && !insights.isFetchingNextPage}
          loadMore={() => void insights.fetchNextPage()}
          head={
            <>
              <span />
              <span>Name</span>
              <span>Kind</span>
              <span>Changed by</span>
              <span className="text-right">Changed</span>
            </>
          }
          render={(insight) => <Row insight={insight} />}
        />
      </ObjectList>
    </>
  );
}

function Row({ insight }: { insight: InsightRow }) {
  const project = useProjectId();
  const { timezone } = useProject();
  const { short_id, name, derived_name, description, query, last_modified_at, last_modified_by, created_by } = insight;
  const kind = unwrapQuestion(query)?.kind ?? 'TrendsQuery';
  const Icon = KIND_ICONS[kind];
  const by = last_modified_by ?? created_by;
  return (
    <>
      <Icon size={16} aria-hidden className="text-text-3" />
      <div className="min-w-0">
        <Link
          to={`/p/${project}/insights/${short_id}` as string}
          className="block truncate text-13 font-medium text-text after:absolute after:inset-0"
        >
          {name || derived_name || 'Untitled'}
        </Link>
        {description && <p className="truncate text-12 text-text-3">{description}</p>}
      </div>
      <span className="truncate text-12 text-text-2 max-lg:hidden">{KINDS.find((one) => one.kind === kind)?.label}</span>
      <span className="truncate text-12 text-text-3 max-lg:hidden">{by && (by.first_name || by.email)}</span>
      <span className="text-right text-12 text-text-3">
        <Time at={last_modified_at} zone={timezone} />
      </span>
    </>
  );
}
