import { Columns3 } from 'lucide-react';
import { propertyName } from '../query/property-name.js';
import { Button } from '../ui/Button.js';
import { PopButton } from '../ui/PopButton.js';
import { PropertyList } from './PropertyList.js';

/** Columns of properties that a list has at most. */
export const MOST_COLUMNS = 4;

export interface ColumnChooserProps {
  /** Properties that have a column, by their names as they are sent. */
  columns: readonly string[];
  /** Whose properties they are. */
  source: 'event' | 'person';
  onChange: (columns: string[]) => void;
}

/** The columns of properties of a list: each can be hidden, and one more be shown. Small screens have none. */
export const ColumnChooser = ({ columns, source, onChange }: ColumnChooserProps) => (
  <span className="ml-auto flex flex-wrap items-center gap-1.5 max-lg:hidden">
    {columns.map((key) => (
      <Button
        key={key}
        isSmall
        kind="quiet"
        aria-label={`Hide the column ${propertyName(key)}`}
        onPress={() => onChange(columns.filter((one) => one !== key))}
      >
        {`${propertyName(key)} ×`}
      </Button>
    ))}
    {columns.length < MOST_COLUMNS && (
      <PopButton label="Column" icon={<Columns3 size={14} aria-hidden />}>
        {(close) => (
          <PropertyList
            sources={[source]}
            onPick={({ key }) => {
              close();
              onChange([...columns.filter((one) => one !== key), key]);
            }}
          />
        )}
      </PopButton>
    )}
  </span>
);
