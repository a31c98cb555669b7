import { useQuery } from '@tanstack/react-query';
import { ChevronDown, ChevronRight, Table2 } from 'lucide-react';
import { useState } from 'react';
import { useProjectId } from '../../app/project-context.js';
import { propertyNamesQuery } from '../../data/definitions.js';
import { type SqlTable, type TableName, tablesQuery } from '../../data/sql.js';
import { nameInSql } from '../../ui/name-in-sql.js';
import { SearchField } from '../../ui/SearchField.js';
import { Fault, Skeleton } from '../../ui/states.js';

interface Leaf {
  /** As it is written in a select. */
  path: string;
  label: string;
  type: string;
}

/** The tables of the project with their columns and properties. A press on one writes it into the select. */
export function SchemaTree({ onPick }: { onPick: (text: string) => void }) {
  const project = useProjectId();
  const tables = useQuery(tablesQuery(project));
  const ofEvents = useQuery(propertyNamesQuery(project, 'event', ''));
  const ofPersons = useQuery(propertyNamesQuery(project, 'person', ''));
  const [open, setOpen] = useState<ReadonlySet<TableName>>(
    // on phones the tables stand above the editor
    () => new Set(matchMedia('(min-width: 64rem)').matches ? ['events'] : []),
  );
  const [search, setSearch] = useState('');
  const leavesOf = ({ name, columns }: SqlTable): Leaf[] => {
    const own = columns.map((column): Leaf => ({ path: nameInSql(column.name), label: column.name, type: column.type }));
    const eventProperties = name === 'events' ? (ofEvents.data?.results ?? []) : [];
    const personProperties = name === 'events' || name === 'persons' ? (ofPersons.data?.results ?? []) : [];
    const prefix = name === 'events' ? 'person.properties' : 'properties';
    return [
      ...own,
      ...eventProperties.map((one) => leafOf('properties', one.name, one.property_type ?? null)),
      ...personProperties.map((one) => leafOf(prefix, one.name, one.property_type ?? null)),
    ];
  };
  const toggle = (name: TableName) => {
    const next = new Set(open);
    if (!next.delete(name)) next.add(name);
    setOpen(next);
  };
  const matches = ({ label }: Leaf) => label.toLowerCase().includes(search.toLowerCase());
  return (
    <div className="flex min-h-0 flex-col">
      <div className="p-3">
        <SearchField label="Table or column" value={search} onChange={setSearch} />
      </div>
      <div className="min-h-0 flex-1 overflow-y-auto px-2 pb-3 max-lg:max-h-64">
        {tables.isPending && <Skeleton rows={8} />}
        {tables.error && (
          <Fault title="The tables could not be loaded" detail={tables.error.message} onRetry={() => void tables.refetch()} />
        )}
        <ul aria-label="Tables">
          {tables.data?.map((table) => {
            const leaves = leavesOf(table).filter(matches);
            const isOpen = search !== '' ? leaves.length > 0 : open.has(table.name);
            const Chevron = isOpen ? ChevronDown : ChevronRight;
            return (
              <li key={table.name}>
                <div className="flex items-center">
                  <button
                    type="button"
                    aria-expanded={isOpen}
                    onClick={() => toggle(table.name)}
                    className="flex h-7 min-w-0 flex-1 items-center gap-1.5 rounded-s px-1 font-mono text-12 font-medium hover:bg-hover"
                  >
                    <Chevron size={14} aria-hidden className="shrink-0 text-text-3" />
                    <Table2 size={14} aria-hidden className="shrink-0 text-text-3" />
                    {table.name}
                  </button>
                </div>
                {isOpen && (
                  <ul aria-label={`Columns of ${table.name}`}>
                    {leaves.map(({ path, label, type }) => (
                      <li key={path}>
                        <button
                          type="button"
                          title={`Write ${path}`}
                          onClick={() => onPick(path)}
                          className="flex h-6 w-full items-center gap-2 rounded-s pr-1 pl-7 text-left hover:bg-hover pointer-coarse:h-9"
                        >
                          <span className="min-w-0 flex-1 truncate font-mono text-12">{label}</span>
                          <span className="text-11 text-text-3">{type}</span>
                        </button>
                      </li>
                    ))}
                  </ul>
                )}
              </li>
            );
          })}
        </ul>
      </div>
    </div>
  );
}

const WORDS: Record<string, string> = { Numeric: 'number', DateTime: 'time', Boolean: 'yes/no' };

const leafOf = (prefix: string, name: string, type: string | null): Leaf => ({
  path: `${prefix}.${nameInSql(name)}`,
  label: `${prefix}.${name}`,
  type: WORDS[type ?? ''] ?? 'text',
});
