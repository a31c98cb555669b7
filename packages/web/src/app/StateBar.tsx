import { PageBar } from '../ui/PageHead.js';
import { SearchField } from '../ui/SearchField.js';
import { Segmented } from '../ui/Segmented.js';

interface StateBarProps<State extends string> {
  /** What the list has, such as `surveys`. */
  what: string;
  placeholder: string;
  states: readonly { value: State; label: string }[];
  search?: string;
  /** The chosen state; undefined: all. */
  is?: State;
  onChange: (change: { search?: string | undefined; is?: State | undefined }) => void;
}

/** Above a list: what is searched, and which state its objects have. Both stand in the address. */
export function StateBar<State extends string>({ what, placeholder, states, search, is, onChange }: StateBarProps<State>) {
  return (
    <PageBar>
      <div className="w-64 max-sm:w-full">
        <SearchField
          label={`Search ${what}`}
          placeholder={placeholder}
          value={search ?? ''}
          onChange={(text) => onChange({ search: text || undefined })}
        />
      </div>
      <Segmented
        label="State"
        options={[{ value: 'all', label: 'All' }, ...states]}
        value={is ?? 'all'}
        onChange={(state) => onChange({ is: state === 'all' ? undefined : (state as State) })}
      />
    </PageBar>
  );
}
