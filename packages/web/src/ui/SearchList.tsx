import { Search } from 'lucide-react';
import type { ReactNode } from 'react';
import { Autocomplete, Header, Input, ListBox, ListBoxItem, ListBoxSection, SearchField } from 'react-aria-components';
import { classNames } from './class-names.js';
import { POP_ROW } from './Pop.js';

export interface ListGroup<Item> {
  id: string;
  label?: string;
  items: readonly Item[];
}

export interface SearchListProps<Item> {
  label: string;
  groups: readonly ListGroup<Item>[];
  keyOf: (item: Item) => string;
  textOf: (item: Item) => string;
  render?: (item: Item) => ReactNode;
  search: string;
  onSearch: (search: string) => void;
  onPick: (item: Item) => void;
  /** The text when nothing matches. */
  empty: ReactNode;
  isLoading?: boolean;
}

/** A list with a search field above it, whose matches the caller finds. For pops and panels. */
export function SearchList<Item>({
  label,
  groups,
  keyOf,
  textOf,
  render,
  search,
  onSearch,
  onPick,
  empty,
  isLoading,
}: SearchListProps<Item>) {
  const items = groups.flatMap((group) => group.items);
  return (
    <div className="flex w-80 max-w-full flex-col">
      <Autocomplete inputValue={search} onInputChange={onSearch}>
        <SearchField aria-label={label} autoFocus className="mb-1 flex items-center gap-2 border-b border-border px-2">
          <Search size={14} aria-hidden className="shrink-0 text-text-3" />
          <Input
            placeholder={label}
            className="h-9 min-w-0 flex-1 bg-transparent text-13 outline-none placeholder:text-text-3 [&::-webkit-search-cancel-button]:hidden"
          />
        </SearchField>
        <ListBox
          aria-label={label}
          className="max-h-72 overflow-y-auto outline-none"
          renderEmptyState={() => <p className="p-2 text-13 text-text-3">{isLoading ? 'Searching…' : empty}</p>}
          onAction={(key) => {
            const item = items.find((one) => keyOf(one) === key);
            if (item !== undefined) onPick(item);
          }}
        >
          {groups
            .filter((group) => group.items.length > 0)
            .map((group) => (
              // an id of its own: an option of the same name would end the list
              <ListBoxSection key={group.id} id={`group:${group.id}`} aria-label={group.label ?? label}>
                {group.label && <Header className="px-2 pt-2 pb-1 text-11 font-medium text-text-3">{group.label}</Header>}
                {group.items.map((item) => (
                  <ListBoxItem
                    key={keyOf(item)}
                    id={keyOf(item)}
                    textValue={textOf(item)}
                    className={classNames(POP_ROW, 'py-1')}
                  >
                    {render?.(item) ?? <span className="truncate">{textOf(item)}</span>}
                  </ListBoxItem>
                ))}
              </ListBoxSection>
            ))}
        </ListBox>
      </Autocomplete>
    </div>
  );
}
