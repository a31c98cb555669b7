import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { ChartLine } from 'lucide-react';
import { useNewLink } from '../../app/NewLink.js';
import { ObjectList, ShowMore } from '../../app/ObjectList.js';
import { useMayCreate } from '../../app/object-level.js';
import { useProject, useProjectId } from '../../app/project-context.js';
import { useSearchChange } from '../../app/use-search-change.js';
import { insightsQuery } from '../../data/insights.js';
import { InsightTabs } from '../../insight/InsightTabs.js';
import { KIND_ICONS } from '../../insight/kind-icons.js';
import { unwrapQuestion } from '../../query/question.js';
import { Card } from '../../ui/Card.js';
import { PageBody, PageHead } from '../../ui/PageHead.js';
import { SearchField } from '../../ui/SearchField.js';
import { Time } from '../../ui/Time.js';

const route = getRouteApi('/p/$project/insights');

/** The saved insights of the project. */
export function InsightsScreen() {
  const project = useProjectId();
  const { timezone } = useProject();
  const { search = '' } = route.useSearch();
  const set = useSearchChange<{ search?: string }>();
  const insights = useInfiniteQuery(insightsQuery(project, search));
  const shown = insights.data?.pages.flatMap(({ results }) => results);
  const create = useNewLink('New insight', useMayCreate('insight'), `/p/${project}/insights/new`);
  return (
    <>
      <PageHead title="Insights" actions={create} />
      <PageBody>
        <div className="mb-3 flex flex-wrap items-center gap-2">
          <InsightTabs selected="insights" />
          <div className="w-72 max-sm:w-full">
            <SearchField label="Search insights" value={search} onChange={(text) => set({ search: text || undefined })} />
          </div>
        </div>
        <Card>
          <ObjectList
            list={insights}
            one="insight"
            many="insights"
            isEmpty={shown?.length === 0}
            icon={<ChartLine size={16} aria-hidden />}
            onShowAll={search ? () => set({ search: undefined }) : null}
            leftOut="Insights with other words are left out."
            purpose="An insight is a question about events, people or revenue, with its chart."
            create={create}
          >
            <ul className="divide-y divide-border">
              {shown?.map(
                ({ short_id, name, derived_name, description, query, last_modified_at, last_modified_by, created_by }) => {
                  const Icon = KIND_ICONS[unwrapQuestion(query)?.kind ?? 'TrendsQuery'];
                  const by = last_modified_by ?? created_by;
                  return (
                    <li key={short_id} className="relative flex min-h-[50px] items-center gap-3 px-4 py-2 hover:bg-hover">
                      <Icon size={16} aria-hidden className="shrink-0 text-text-3" />
                      <div className="min-w-0 flex-1">
                        <Link
                          to={`/p/${project}/insights/${short_id}` as string}
                          className="block truncate text-13 font-medium text-text after:absolute after:inset-0"
                        >
                          {name || derived_name || 'Untitled'}
                        </Link>
                        {description && <p className="truncate text-12 text-text-3">{description}</p>}
                      </div>
                      {by && <span className="text-12 text-text-3 max-sm:hidden">{by.first_name || by.email}</span>}
                      <span className="text-12 text-text-3">
                        <Time at={last_modified_at} zone={timezone} />
                      </span>
                    </li>
                  );
                },
              )}
            </ul>
          </ObjectList>
          <ShowMore list={insights} what="insights" />
        </Card>
      </PageBody>
    </>
  );
}
