import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { formatDuration } from '@tidemark/charts';
import { Play } from 'lucide-react';
import { useMemo } from 'react';
import { LoadFault } from '../../app/LoadFault.js';
import { useProject, useProjectId } from '../../app/project-context.js';
import { RECORDING_ORDERS, type Recording, recordingsQuery } from '../../data/recordings.js';
import { DateRangePicker } from '../../filter/DateRangePicker.js';
import { EventPicker } from '../../filter/EventPicker.js';
import { Badge } from '../../ui/Badge.js';
import { Button, buttonClass } from '../../ui/Button.js';
import { Menu, MenuRow } from '../../ui/Menu.js';
import { PageBar, PageHead } from '../../ui/PageHead.js';
import { SearchField } from '../../ui/SearchField.js';
import { Message, Skeleton } from '../../ui/states.js';
import { Time } from '../../ui/Time.js';
import { VirtualRows } from '../../ui/VirtualRows.js';
import { filterOfSearch, type RecordingsSearch } from './filter-of-search.js';

const route = getRouteApi('/p/$project/recordings');

const LENGTHS = [
  { seconds: 0, label: 'Any length' },
  { seconds: 10, label: 'From 10 seconds' },
  { seconds: 60, label: 'From 1 minute' },
  { seconds: 300, label: 'From 5 minutes' },
] as const;

/** What is said where there are no recordings. */
function titleOfNothing({ isFiltered, isAllTime, isOn }: { isFiltered: boolean; isAllTime: boolean; isOn: boolean }): string {
  if (isFiltered) return 'No recording matches';
  if (!isOn) return 'Recording is off';
  return isAllTime ? 'No recordings yet' : 'No recordings of these days';
}

/** Height of a row in pixels, also on phones. */
const ROW = 50;
const COLUMNS =
  'grid grid-cols-[16px_minmax(0,1fr)_auto_90px_80px_110px] items-center gap-x-4 px-6 max-lg:grid-cols-[16px_minmax(0,1fr)_auto] max-sm:px-4';

/** The recorded sessions of the project: those of the last week, unless the address says more. */
export function RecordingsScreen() {
  const project = useProjectId();
  const { session_recording_opt_in: isOn } = useProject();
  const search = route.useSearch();
  const navigate = useNavigate();
  const filter = filterOfSearch(search);
  const list = useInfiniteQuery(recordingsQuery(project, filter));
  const recordings = useMemo(() => list.data?.pages.flatMap(({ results }) => results) ?? [], [list.data]);
  const set = (next: { [Name in keyof RecordingsSearch]: RecordingsSearch[Name] | undefined }) =>
    void navigate({ to: '.', search: ((before: object) => ({ ...before, ...next })) as never, replace: true });
  const isFiltered = filter.address !== '' || filter.event !== null || filter.seconds > 0;
  const isAllTime = filter.range.from === 'all';
  const everything = { from: 'all', to: undefined, url: undefined, event: undefined, min: undefined };
  return (
    <>
      <PageHead title="Recordings" />
      <PageBar>
        <DateRangePicker range={filter.range} onChange={({ from, to }) => set({ from, to: to ?? undefined })} />
        <Menu
          label="Length"
          trigger={
            <Button isSmall>
              {LENGTHS.find(({ seconds }) => seconds === filter.seconds)?.label ?? `From ${formatDuration(filter.seconds)}`}
            </Button>
          }
        >
          {LENGTHS.map(({ seconds, label }) => (
            <MenuRow key={seconds} onAction={() => set({ min: seconds > 0 ? String(seconds) : undefined })}>
              {label}
            </MenuRow>
          ))}
        </Menu>
        <Menu
          label="Order"
          trigger={<Button isSmall>{RECORDING_ORDERS.find(({ order }) => order === filter.order)?.label}</Button>}
        >
          {RECORDING_ORDERS.map(({ order, label }) => (
            <MenuRow key={order} onAction={() => set({ by: order === 'start_time' ? undefined : order })}>
              {label}
            </MenuRow>
          ))}
        </Menu>
        <div className="w-56 max-sm:w-full">
          <SearchField
            label="Search visited addresses"
            value={filter.address}
            onChange={(text) => set({ url: text || undefined })}
          />
        </div>
        <div className="w-44 max-sm:w-full">
          <EventPicker event={filter.event} onChange={(event) => set({ event: event ?? undefined })} />
        </div>
      </PageBar>
      {list.isPending && <Skeleton rows={8} />}
      {list.error && <LoadFault what="recordings" error={list.error} onRetry={() => void list.refetch()} />}
      {list.data && recordings.length === 0 && (
        <Message
          icon={<Play size={16} aria-hidden />}
          title={titleOfNothing({ isFiltered, isAllTime, isOn })}
          action={
            isFiltered || (isOn && !isAllTime) ? (
              <Button onPress={() => set(everything)}>Show all recordings</Button>
            ) : (
              !isOn && (
                <Link to={`/p/${project}/settings/recording` as string} className={buttonClass()}>
                  Open the settings of recording
                </Link>
              )
            )
          }
        >
          {isFiltered
            ? 'Sessions on other addresses, without the event or shorter are left out.'
            : isOn
              ? 'Sessions appear here while visitors use your pages.'
              : 'Switched on, it shows how visitors use your pages. Texts that they type are masked.'}
        </Message>
      )}
      {recordings.length > 0 && (
        <VirtualRows
          label="Recordings"
          items={recordings}
          keyOf={({ id }) => id}
          height={ROW}
          columns={COLUMNS}
          hasMore={list.hasNextPage && !list.isFetchingNextPage}
          loadMore={() => void list.fetchNextPage()}
          head={
            <>
              <span />
              <span>Person and first page</span>
              <span />
              <span className="text-right">Clicks</span>
              <span className="text-right">Length</span>
              <span className="text-right">Began</span>
            </>
          }
          render={(recording) => <Row recording={recording} />}
        />
      )}
    </>
  );
}

function Row({ recording: one }: { recording: Recording }) {
  const project = useProjectId();
  const { timezone } = useProject();
  const errors = one.console_error_count;
  const length = formatDuration(Math.round(one.recording_duration));
  return (
    <>
      <Play size={14} aria-hidden className={one.viewed ? 'text-text-3' : 'text-accent'} />
      <span className="min-w-0">
        <Link
          to={`/p/${project}/recordings/${one.id}` as string}
          className="block truncate text-13 font-medium text-text after:absolute after:inset-0"
        >
          {one.person?.name ?? one.distinct_id}
        </Link>
        <span className="block truncate text-12 text-text-3">{one.start_url}</span>
      </span>
      <span className="flex items-center gap-1.5 max-lg:hidden">
        {one.ongoing && <Badge kind="good">Going on</Badge>}
        {errors > 0 && <Badge kind="bad">{errors === 1 ? '1 error' : `${errors.toLocaleString('en')} errors`}</Badge>}
      </span>
      <span className="tnum text-right text-13 text-text-2 max-lg:hidden">{one.click_count.toLocaleString('en')}</span>
      <span className="tnum text-right text-13 max-lg:hidden">{length}</span>
      <span className="text-right text-12 text-text-3">
        <Time at={one.start_time} zone={timezone} />
        <span className="tnum block lg:hidden">{length}</span>
      </span>
    </>
  );
}
