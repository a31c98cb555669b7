import { Search, X } from 'lucide-react';
import { SearchField as AriaSearchField, Button, Input, type SearchFieldProps } from 'react-aria-components';
import { classNames } from './class-names.js';
import { INPUT } from './field-parts.js';

/** A search input; `/` focuses the first of a screen. */
export function SearchField({
  label,
  placeholder,
  ...props
}: Omit<SearchFieldProps, 'className' | 'style' | 'children'> & { label: string; placeholder?: string }) {
  return (
    <AriaSearchField {...props} aria-label={label} className="group relative min-w-0">
      <Search size={14} aria-hidden className="pointer-events-none absolute top-1/2 left-2.5 -translate-y-1/2 text-text-3" />
      <Input
        data-search
        placeholder={placeholder ?? label}
        className={classNames(INPUT, 'px-8 [&::-webkit-search-cancel-button]:hidden')}
      />
      <Button className="absolute top-1/2 right-1.5 grid size-6 -translate-y-1/2 place-items-center rounded-s text-text-3 hover:text-text group-data-empty:hidden">
        <X size={14} aria-hidden />
      </Button>
    </AriaSearchField>
  );
}
