import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { UsersRound } from 'lucide-react';
import { useDeferredValue, useState } from 'react';
import { AnswerFault } from '../app/LoadFault.js';
import { useMayCreate } from '../app/object-level.js';
import { useProjectId } from '../app/project-context.js';
import { ACTORS_PAGE, type Actor, actorsQuery } from '../data/actors.js';
import type { PeopleBehind, PeopleChoice } from '../query/people-behind.js';
import { Button } from '../ui/Button.js';
import { Panel } from '../ui/Panel.js';
import { SearchField } from '../ui/SearchField.js';
import { Select } from '../ui/Select.js';
import { Message, Skeleton } from '../ui/states.js';
import { SaveCohortDialog } from './SaveCohortDialog.js';

export interface PeoplePanelProps {
  behind: PeopleBehind;
  /** Selects another number of the same point, by its name in the address. */
  onSelect: (point: string) => void;
  onClose: () => void;
}

/** The people behind a point of a chart. */
export function PeoplePanel({ behind: { title, choices, selected }, onSelect, onClose }: PeoplePanelProps) {
  const project = useProjectId();
  const [search, setSearch] = useState('');
  const [isSaving, setSaving] = useState(false);
  const mayCreate = useMayCreate('cohort');
  const chosen = choices[selected];
  const deferred = useDeferredValue(search);
  const people = useQuery({ ...actorsQuery(project, chosen?.source ?? {}, deferred), enabled: chosen !== undefined });
  if (!chosen) return null;
  const found = people.data?.people ?? [];
  const arePeople = found.length > 0 && found.every(({ type }) => type === 'person');
  return (
    <Panel
      title={title}
      onClose={onClose}
      footer={
        arePeople &&
        mayCreate && (
          <Button icon={<UsersRound size={14} aria-hidden />} onPress={() => setSaving(true)}>
            Save as cohort
          </Button>
        )
      }
    >
      <div className="grid gap-3">
        {choices.length > 1 ? (
          <Select
            label="Number"
            options={choices.map((choice) => ({ value: choice.point, label: choiceText(choice) }))}
            value={chosen.point}
            onChange={onSelect}
          />
        ) : (
          <p className="text-13">{choiceText(chosen)}</p>
        )}
        <SearchField label="Search these people" value={search} onChange={setSearch} />
        {people.isPending && <Skeleton rows={6} />}
        {people.error && (
          <AnswerFault title="People could not be loaded" error={people.error} onRetry={() => void people.refetch()} />
        )}
        {people.data && found.length === 0 && (
          <Message title="Nobody">{search ? 'No name, e-mail or id matches.' : 'Nobody is behind this number.'}</Message>
        )}
        <ul aria-label="People" className="-mx-4 divide-y divide-border border-t border-border">
          {found.map((actor) => (
            <ActorRow key={actor.id} actor={actor} />
          ))}
        </ul>
        {people.data?.hasMore && <p className="text-12 text-text-3">The first {ACTORS_PAGE}. Search to find others.</p>}
      </div>
      {isSaving && (
        <SaveCohortDialog
          source={chosen.source}
          search={deferred}
          name={`${title}: ${chosen.label}`}
          onClose={() => setSaving(false)}
        />
      )}
    </Panel>
  );
}

const choiceText = ({ label, value }: PeopleChoice): string =>
  value === null ? label : `${label}: ${value.toLocaleString('en')}`;

const PLACES = ['$geoip_city_name', '$geoip_country_name', '$browser'];

/** A person with the way to their page, where their recordings are; a group or session by its id. */
function ActorRow({ actor: { type, id, label, properties } }: { actor: Actor }) {
  const project = useProjectId();
  const about = PLACES.map((key) => properties[key]).filter((one) => typeof one === 'string');
  const path = type === 'person' ? `/p/${project}/persons/${id}` : type === 'session' ? `/p/${project}/recordings/${id}` : null;
  return (
    <li className="relative flex min-h-[50px] items-center gap-3 px-4 hover:bg-hover">
      <span className="min-w-0">
        {path ? (
          <Link to={path as string} className="block truncate text-13 font-medium text-text after:absolute after:inset-0">
            {label}
          </Link>
        ) : (
          <span className="block truncate text-13 font-medium">{label}</span>
        )}
        <span className="block truncate text-12 text-text-3">{type === 'session' ? 'Session' : about.join(', ')}</span>
      </span>
    </li>
  );
}
