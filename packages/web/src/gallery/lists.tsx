import { SearchList } from '../ui/SearchList.js';
import { VirtualRows } from '../ui/VirtualRows.js';
import { LONG, State, UNBROKEN, Value } from './State.js';

const EVENTS = ['Page view', 'Signed up', 'Purchase', 'Search', 'Upgrade', LONG, UNBROKEN];

/** @param events what can be found, by group */
const searchOf = (label: string, events: readonly string[], isLoading = false) => (
  <Value of="">
    {(search, onSearch) => (
      <SearchList
        label={label}
        groups={[
          { id: 'recent', label: 'Recent', items: events.slice(0, 2) },
          { id: 'all', label: 'All events', items: events.slice(2) },
        ]}
        keyOf={(event) => event}
        textOf={(event) => event}
        search={search}
        onSearch={onSearch}
        onPick={() => {}}
        empty="No event has such a name."
        isLoading={isLoading}
      />
    )}
  </Value>
);

const people = Array.from({ length: 5_000 }, (_, at) => ({
  id: at,
  name: at === 2 ? LONG : `Person ${at + 1}`,
  events: (at * 37) % 900,
}));
const COLUMNS = 'grid grid-cols-[minmax(0,1fr)_auto] items-center gap-3 px-4';

export const lists = {
  SearchList: () => (
    <>
      <State is="groups">{searchOf('Search events', EVENTS)}</State>
      <State is="no items: empty">{searchOf('Search missing events', [])}</State>
      <State is="isLoading">{searchOf('Search coming events', [], true)}</State>
    </>
  ),
  VirtualRows: () => (
    <State is="5,000 items, head">
      <div className="screen">
        <VirtualRows
          label="People"
          items={people}
          keyOf={({ id }) => id}
          height={50}
          columns={COLUMNS}
          head={
            <>
              <span>Name</span>
              <span>Events</span>
            </>
          }
          render={({ name, events }) => (
            <>
              <span className="truncate">{name}</span>
              <span className="tnum">{events}</span>
            </>
          )}
        />
      </div>
    </State>
  ),
};
