import { Search, X } from 'lucide-react';
import { useState } from 'react';
import { SearchField as AriaSearchField, Button, Input, type SearchFieldProps } from 'react-aria-components';
import { classNames } from './class-names.js';
import { INPUT } from './field-parts.js';

/** A search input; `/` focuses the first of a screen. */
export function SearchField({
  label,
  placeholder,
  value = '',
  onChange,
  ...props
}: Omit<SearchFieldProps, 'className' | 'style' | 'children'> & { label: string; placeholder?: string }) {
  // the text may come back late, through the address: what is typed meanwhile stays
  const [typed, setTyped] = useState(value);
  const [known, setKnown] = useState(value);
  const [sent, setSent] = useState<readonly string[]>([]);
  if (value !== known) {
    setKnown(value);
    const at = sent.indexOf(value);
    setSent(sent.slice(at + 1));
    if (at === -1) setTyped(value);
  }
  const type = (text: string) => {
    setTyped(text);
    setSent(text === value ? [] : [...sent, text]);
    onChange?.(text);
  };
  return (
    <AriaSearchField {...props} value={typed} onChange={type} aria-label={label} className="group relative min-w-0">
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
