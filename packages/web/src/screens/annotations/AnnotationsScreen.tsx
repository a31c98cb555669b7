import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { MessageSquare, Plus } from 'lucide-react';
import { useMemo } from 'react';
import { useNewShortcut } from '../../actions/use-new-shortcut.js';
import { ListCount, ObjectList } from '../../app/ObjectList.js';
import { useMayCreate } from '../../app/object-level.js';
import { useProject, useProjectId } from '../../app/project-context.js';
import { useSearchChange } from '../../app/use-search-change.js';
import { type Annotation, annotationListQuery } from '../../data/annotations.js';
import { Button } from '../../ui/Button.js';
import { PageBar, PageHead } from '../../ui/PageHead.js';
import { SearchField } from '../../ui/SearchField.js';
import { Time } from '../../ui/Time.js';
import { VirtualRows } from '../../ui/VirtualRows.js';
import { AnnotationPanel } from './AnnotationPanel.js';
import type { AnnotationsSearch } from './route.js';

const route = getRouteApi('/p/$project/annotations');

const COLUMNS =
  'grid grid-cols-[110px_minmax(0,5fr)_minmax(0,3fr)_140px] items-center gap-x-4 px-6 max-lg:grid-cols-[96px_minmax(0,1fr)] max-sm:px-4';

/** Notes on moments, which charts show. */
export function AnnotationsScreen() {
  const project = useProjectId();
  const { timezone } = useProject();
  const { search = '', open } = route.useSearch();
  const mayEdit = useMayCreate('annotation');
  const list = useInfiniteQuery({ ...annotationListQuery(project, search), placeholderData: keepPreviousData });
  const annotations = useMemo(() => list.data?.pages.flatMap(({ results }) => results) ?? [], [list.data]);
  const count = list.data?.pages[0]?.count;
  const set = useSearchChange<AnnotationsSearch>();
  useNewShortcut('New annotation', mayEdit, () => set({ open: 'new' }, false));
  const create = mayEdit && (
    <Button kind="primary" icon={<Plus size={14} aria-hidden />} onPress={() => set({ open: 'new' })}>
      New annotation
    </Button>
  );
  const opened = annotations.find(({ id }) => String(id) === open) ?? null;
  return (
    <>
      <PageHead title="Annotations" badges={<ListCount count={count} />} actions={create} />
      <PageBar>
        <div className="w-64 max-sm:w-full">
          <SearchField label="Search annotations" value={search} onChange={(text) => set({ search: text || undefined })} />
        </div>
      </PageBar>
      <ObjectList
        list={list}
        one="annotation"
        many="annotations"
        isEmpty={annotations.length === 0}
        icon={<MessageSquare size={16} aria-hidden />}
        onShowAll={search ? () => set({ search: undefined }) : null}
        leftOut="Annotations with other words are left out."
        purpose="An annotation says what happened at a moment, such as a release. Charts over time show it there."
        create={create}
      >
        <VirtualRows
          label="Annotations"
          items={annotations}
          keyOf={({ id }) => id}
          height={44}
          columns={COLUMNS}
          hasMore={list.hasNextPage && !list.isFetchingNextPage}
          loadMore={() => void list.fetchNextPage()}
          head={
            <>
              <span>When</span>
              <span>What happened</span>
              <span>Shown on</span>
              <span>Created by</span>
            </>
          }
          render={(annotation) => (
            <>
              <span className="text-13 text-text-2">
                {annotation.date_marker && <Time at={annotation.date_marker} zone={timezone} />}
              </span>
              <button
                type="button"
                aria-expanded={open === String(annotation.id)}
                onClick={() => set({ open: String(annotation.id) })}
                className="truncate text-left text-13 font-medium after:absolute after:inset-0"
              >
                {annotation.content || 'Without words'}
              </button>
              <span className="truncate text-13 text-text-2 max-lg:hidden">
                <Where annotation={annotation} />
              </span>
              <span className="truncate text-13 text-text-2 max-lg:hidden">
                {annotation.created_by ? annotation.created_by.first_name || annotation.created_by.email : 'A deleted user'}
              </span>
            </>
          )}
        />
      </ObjectList>
      {open === 'new' && mayEdit && <AnnotationPanel annotation={null} mayEdit onClose={() => set({ open: undefined })} />}
      {opened && (
        <AnnotationPanel key={opened.id} annotation={opened} mayEdit={mayEdit} onClose={() => set({ open: undefined })} />
      )}
    </>
  );
}

/** The charts that show an annotation. */
function Where({ annotation }: { annotation: Annotation }) {
  const project = useProjectId();
  const { scope, insight_short_id: insight, insight_name: name, insight_derived_name: derived, dashboard_id: board } = annotation;
  if (scope === 'dashboard_item' && insight)
    return (
      <Link to={`/p/${project}/insights/${insight}` as string} className="relative z-1">
        {name || derived || 'An insight'}
      </Link>
    );
  if (scope === 'dashboard' && board !== null)
    return (
      <Link to={`/p/${project}/dashboards/${board}` as string} className="relative z-1">
        {annotation.dashboard_name || 'A dashboard'}
      </Link>
    );
  if (scope === 'project') return 'All charts of the project';
  return scope === 'organization' ? 'All charts of all projects' : 'One that you cannot see';
}
