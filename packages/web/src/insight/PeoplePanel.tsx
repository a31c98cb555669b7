import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useDeferredValue, useState } from 'react';
import { useProjectId } from '../app/project-context.js';
import { ACTORS_PAGE, actorsQuery } from '../data/actors.js';
import type { Question } from '../query/question.js';
import { Panel } from '../ui/Panel.js';
import { SearchField } from '../ui/SearchField.js';
import { Select } from '../ui/Select.js';
import { Fault, Message, Skeleton } from '../ui/states.js';

/** A series of the answer, as the panel offers it. */
export interface PanelSeries {
  /** Index in the answer. */
  index: number;
  label: string;
  breakdown: string | number | (string | number)[] | null;
  /** The number at the point. */
  value: number;
}

export interface PeoplePanelProps {
  question: Question;
  day: string;
  /** The day in words. */
  dayLabel: string;
  series: readonly PanelSeries[];
  onClose: () => void;
}

/** The people behind a point of a chart. */
export function PeoplePanel({ question, day, dayLabel, series, onClose }: PeoplePanelProps) {
  const project = useProjectId();
  const [selected, setSelected] = useState(() => String([...series].sort((a, b) => b.value - a.value)[0]?.index ?? 0));
  const [search, setSearch] = useState('');
  const chosen = series.find(({ index }) => String(index) === selected) ?? series[0];
  // the engine counts series of the question; a breakdown names its value
  const order = question.series?.length === 1 || !chosen ? 0 : chosen.index;
  const point = { series: order, day, breakdown: chosen?.breakdown ?? null };
  const people = useQuery(actorsQuery(project, question, point, useDeferredValue(search)));
  return (
    <Panel title={dayLabel} onClose={onClose}>
      <div className="grid gap-3">
        {series.length > 1 && (
          <Select
            label="Series"
            options={series.map(({ index, label, value }) => ({
              value: String(index),
              label: `${label}: ${value.toLocaleString('en')}`,
            }))}
            value={selected}
            onChange={setSelected}
          />
        )}
        {chosen && (
          <p className="text-13 text-text-2">
            <b className="text-text">{chosen.value.toLocaleString('en')}</b> {chosen.label}, by these people
          </p>
        )}
        <SearchField label="Search these people" value={search} onChange={setSearch} />
        {people.isPending && <Skeleton rows={6} />}
        {people.error && (
          <Fault title="People could not be loaded" detail={people.error.message} onRetry={() => void people.refetch()} />
        )}
        {people.data?.people.length === 0 && (
          <Message title="Nobody">{search ? 'No name, e-mail or id matches.' : 'Nobody is behind this point.'}</Message>
        )}
        <ul className="-mx-4 divide-y divide-border border-t border-border">
          {people.data?.people.map(({ id, label, properties }) => (
            <li key={id} className="relative flex min-h-[50px] items-center gap-3 px-4 hover:bg-hover">
              <span className="min-w-0">
                <Link
                  to={`/p/${project}/persons/${id}` as string}
                  className="block truncate text-13 font-medium text-text after:absolute after:inset-0"
                >
                  {label}
                </Link>
                <span className="block truncate text-12 text-text-3">
                  {[properties['$geoip_city_name'], properties['$geoip_country_name'], properties['$browser']]
                    .filter((one) => typeof one === 'string')
                    .join(', ')}
                </span>
              </span>
            </li>
          ))}
        </ul>
        {people.data?.hasMore && <p className="text-12 text-text-3">The first {ACTORS_PAGE}. Search to find others.</p>}
      </div>
    </Panel>
  );
}
