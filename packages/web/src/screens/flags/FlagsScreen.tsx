import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Flag as FlagIcon, Sparkles, Tag, X } from 'lucide-react';
import { useMemo } from 'react';
import { ListCount, ObjectList } from '../../app/ObjectList.js';
import { useMayCreate } from '../../app/object-level.js';
import { useProjectId } from '../../app/project-context.js';
import { useNewLink } from '../../app/use-new-link.js';
import { useSearchChange } from '../../app/use-search-change.js';
import { type FlagState, type FlagType, flagsQuery } from '../../data/flags.js';
import { Button, buttonClass } from '../../ui/Button.js';
import { Menu, MenuRow } from '../../ui/Menu.js';
import { PageBar, PageHead } from '../../ui/PageHead.js';
import { SearchField } from '../../ui/SearchField.js';
import { Segmented } from '../../ui/Segmented.js';
import { FlagRows } from './FlagRows.js';
import { type FlagsSearch, filterOfSearch } from './filter-of-search.js';

const route = getRouteApi('/p/$project/flags');

const STATES: readonly { value: FlagState | 'all'; label: string }[] = [
  { value: 'all', label: 'All' },
  { value: 'on', label: 'On' },
  { value: 'off', label: 'Off' },
  { value: 'stale', label: 'Stale' },
];

const TYPES: readonly { type: FlagType | null; label: string }[] = [
  { type: null, label: 'Any kind' },
  { type: 'boolean', label: 'On / off' },
  { type: 'multivariant', label: 'With variants' },
  { type: 'experiment', label: 'Of experiments' },
  { type: 'remote_config', label: 'Payload only' },
];

/** The feature flags of the project, the newest first. */
export function FlagsScreen() {
  const project = useProjectId();
  const search = route.useSearch();
  const mayCreate = useMayCreate('feature_flag');
  const list = useInfiniteQuery({ ...flagsQuery(project, filterOfSearch(search)), placeholderData: (before) => before });
  const flags = useMemo(() => list.data?.pages.flatMap(({ results }) => results) ?? [], [list.data]);
  const set = useSearchChange<FlagsSearch>();
  const create = useNewLink('New flag', mayCreate, `/p/${project}/flags/new`);
  const count = list.data?.pages[0]?.count;
  const isFiltered = Boolean(search.search || search.is || search.type || search.tag);
  const type = TYPES.find((one) => one.type === (search.type ?? null));
  return (
    <>
      <PageHead
        title="Flags"
        badges={<ListCount count={count} />}
        actions={
          <>
            <Link to={`/p/${project}/flags/early-access` as string} className={buttonClass('quiet')} data-icon="">
              <Sparkles size={14} aria-hidden />
              <span>Early access</span>
            </Link>
            {create}
          </>
        }
      />
      <PageBar>
        <div className="w-64 max-sm:w-full">
          <SearchField
            label="Search flags"
            placeholder="Search key or words"
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
        <Menu label="Kind" trigger={<Button isSmall>{type?.label ?? 'Any kind'}</Button>}>
          {TYPES.map((one) => (
            <MenuRow key={one.label} onAction={() => set({ type: one.type ?? undefined })}>
              {one.label}
            </MenuRow>
          ))}
        </Menu>
        <TagFilter
          tags={[...new Set(flags.flatMap(({ tags }) => tags))].sort()}
          selected={search.tag ?? null}
          onSelect={(tag) => set({ tag: tag ?? undefined })}
        />
      </PageBar>
      <ObjectList
        list={list}
        one="flag"
        many="flags"
        isEmpty={flags.length === 0}
        icon={<FlagIcon size={16} aria-hidden />}
        onShowAll={isFiltered ? () => set({ search: undefined, is: undefined, type: undefined, tag: undefined }) : null}
        leftOut="Flags that have another state, kind or tag are left out."
        purpose={`A flag turns something in your code on for some people, without a release.${mayCreate ? ' Make one, and put its snippet in your code.' : ''}`}
        create={create}
        rows={12}
      >
        <FlagRows
          flags={flags}
          onTag={(tag) => set({ tag })}
          hasMore={list.hasNextPage && !list.isFetchingNextPage}
          loadMore={() => void list.fetchNextPage()}
        />
      </ObjectList>
    </>
  );
}

interface TagFilterProps {
  tags: readonly string[];
  selected: string | null;
  onSelect: (tag: string | null) => void;
}

function TagFilter({ tags, selected, onSelect }: TagFilterProps) {
  if (selected !== null)
    return (
      <Button
        isSmall
        icon={<X size={12} aria-hidden />}
        aria-label={`Remove the filter by tag ${selected}`}
        onPress={() => onSelect(null)}
      >
        {`Tag: ${selected}`}
      </Button>
    );
  if (tags.length === 0) return null;
  return (
    <Menu
      label="Tags"
      trigger={
        <Button isSmall icon={<Tag size={14} aria-hidden />}>
          Tag
        </Button>
      }
    >
      {tags.map((tag) => (
        <MenuRow key={tag} onAction={() => onSelect(tag)}>
          {tag}
        </MenuRow>
      ))}
    </Menu>
  );
}
