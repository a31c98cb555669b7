import { useInfiniteQuery } from '@tanstack/react-query';
import { readableName } from '@tidemark/charts';
import { Plus, X } from 'lucide-react';
import { useDeferredValue, useState } from 'react';
import { useProjectId } from '../../app/project-context.js';
import { type Flag, flagsQuery } from '../../data/flags.js';
import { EventList } from '../../filter/EventPicker.js';
import { FilterChips } from '../../filter/FilterChips.js';
import { Button } from '../../ui/Button.js';
import { Checkbox } from '../../ui/Checkbox.js';
import { PopButton } from '../../ui/PopButton.js';
import { SearchList } from '../../ui/SearchList.js';
import { Segmented } from '../../ui/Segmented.js';
import { Select } from '../../ui/Select.js';
import { Slider } from '../../ui/Slider.js';
import { TextField } from '../../ui/TextField.js';
import type { SurveyDraft } from './draft.js';
import { Part } from './Part.js';

const URL_MATCHES = [
  { value: 'icontains', label: 'contains' },
  { value: 'not_icontains', label: 'does not contain' },
  { value: 'exact', label: 'is' },
  { value: 'is_not', label: 'is not' },
  { value: 'regex', label: 'matches the pattern' },
  { value: 'not_regex', label: 'does not match the pattern' },
];
const DEVICES = ['Desktop', 'Mobile', 'Tablet'];

export interface PartProps {
  draft: SurveyDraft;
  edit: (change: Partial<SurveyDraft>) => void;
}

/** Whom a survey asks, where, and how often. */
export function TargetingEditor({ draft, edit, fault }: PartProps & { fault: string | null }) {
  const { people, flag, devices, events } = draft;
  return (
    <div className="grid max-w-3xl grid-cols-[minmax(0,1fr)] gap-5">
      {fault && <p className="text-12 text-bad">{fault}</p>}
      <Part title="Who shows it">
        <Segmented
          label="Who shows it"
          options={[
            { value: 'popover', label: 'The widget on web pages' },
            { value: 'api', label: 'Your own interface' },
          ]}
          value={draft.type}
          onChange={(type) => edit({ type })}
        />
      </Part>
      <Part title="On which pages">
        <div className="flex flex-wrap gap-2">
          <div className="w-52">
            <Select
              label="How the address is compared"
              hideLabel
              options={URL_MATCHES}
              value={draft.urlMatch}
              onChange={(urlMatch) => edit({ urlMatch })}
            />
          </div>
          <div className="min-w-40 flex-1">
            <TextField
              label="Address of the page"
              hideLabel
              isMono
              placeholder="/thanks; empty: every page"
              value={draft.url}
              onChange={(url) => edit({ url })}
            />
          </div>
        </div>
        <TextField
          label="CSS selector of an element that must be there"
          isMono
          placeholder="If you like"
          value={draft.selector}
          onChange={(selector) => edit({ selector })}
        />
        <div className="flex flex-wrap gap-4">
          {DEVICES.map((device) => (
            <Checkbox
              key={device}
              isSelected={devices.includes(device)}
              onChange={(isIn) => edit({ devices: isIn ? [...devices, device] : devices.filter((one) => one !== device) })}
            >
              {device}
            </Checkbox>
          ))}
          <span className="text-12 text-text-3">{devices.length === 0 ? 'Every device' : ''}</span>
        </div>
      </Part>
      <Part title="After which events">
        <div className="flex flex-wrap items-center gap-1.5">
          {events.map((name) => (
            <Button
              key={name}
              isSmall
              icon={<X size={12} aria-hidden />}
              aria-label={`Remove the event ${readableName(name)}`}
              onPress={() => edit({ events: events.filter((one) => one !== name) })}
            >
              {readableName(name)}
            </Button>
          ))}
          <PopButton label="Event" icon={<Plus size={12} aria-hidden />}>
            {(close) => (
              <EventList
                hasAny={false}
                onPick={(name) => {
                  close();
                  if (name !== null && !events.includes(name)) edit({ events: [...events, name] });
                }}
              />
            )}
          </PopButton>
          {events.length === 0 && <span className="text-12 text-text-3">At once, without waiting for an event</span>}
        </div>
        {events.length > 0 && (
          <Checkbox isSelected={draft.repeats} onChange={(repeats) => edit({ repeats })}>
            Every such event asks again
          </Checkbox>
        )}
      </Part>
      <Part title="Which people">
        {people === null ? (
          <p className="text-12 text-text-2">Several conditions, which the API has set. They stay.</p>
        ) : (
          <>
            <div className="flex flex-wrap items-center gap-1.5">
              {people.filters.length === 0 && (
                <span className="inline-flex h-7 items-center rounded-m border border-border px-2 text-12 text-text-2">
                  All people
                </span>
              )}
              <FilterChips
                filters={people.filters}
                sources={['person', 'cohort']}
                addLabel="Property or cohort"
                onChange={(filters) => edit({ people: { ...people, filters } })}
              />
            </div>
            <div className="flex items-center gap-2">
              <span className="text-12 text-text-2">Ask</span>
              <Slider
                label="Percentage of these people"
                value={people.percentage}
                onChange={(percentage) => edit({ people: { ...people, percentage } })}
              />
              <span className="tnum w-12 text-right text-13">{people.percentage}%</span>
            </div>
          </>
        )}
        <div className="flex flex-wrap items-end gap-2">
          <span className="self-center text-12 text-text-2">For whom the flag is on:</span>
          <FlagPicker flag={flag} onPick={(picked) => edit({ flag: { id: picked.id, key: picked.key }, flagVariant: '' })} />
          {flag && (
            <>
              <div className="w-36">
                <TextField
                  label="Variant of the flag"
                  hideLabel
                  isMono
                  placeholder="any variant"
                  value={draft.flagVariant}
                  onChange={(flagVariant) => edit({ flagVariant })}
                />
              </div>
              <Button isSmall kind="quiet" onPress={() => edit({ flag: null, flagVariant: '' })}>
                Without a flag
              </Button>
            </>
          )}
        </div>
      </Part>
      <Part title="How often">
        <Segmented
          label="How often"
          options={[
            { value: 'once', label: 'Once' },
            { value: 'recurring', label: 'Again after days' },
            { value: 'always', label: 'Each time' },
          ]}
          value={draft.schedule}
          onChange={(schedule) =>
            edit({
              schedule,
              ...(schedule === 'recurring' && { iterations: draft.iterations ?? 4, everyDays: draft.everyDays ?? 30 }),
            })
          }
        />
        <div className="flex flex-wrap gap-2">
          {draft.schedule === 'recurring' && (
            <>
              <NumberField label="Number of times" value={draft.iterations} onChange={(iterations) => edit({ iterations })} />
              <NumberField label="Days between them" value={draft.everyDays} onChange={(everyDays) => edit({ everyDays })} />
            </>
          )}
          <NumberField label="Days since any survey" value={draft.waitDays} onChange={(waitDays) => edit({ waitDays })} />
          <NumberField label="Ends after answers" value={draft.limit} onChange={(limit) => edit({ limit })} />
        </div>
        <Checkbox isSelected={draft.sendsParts} onChange={(sendsParts) => edit({ sendsParts })}>
          Answers are sent after each question, also of people who do not finish
        </Checkbox>
      </Part>
    </div>
  );
}

interface NumberFieldProps {
  label: string;
  value: number | null;
  onChange: (value: number | null) => void;
}

const NumberField = ({ label, value, onChange }: NumberFieldProps) => (
  <div className="w-40">
    <TextField
      label={label}
      inputMode="numeric"
      placeholder="no limit"
      value={value === null ? '' : String(value)}
      onChange={(text) => /^\d{0,9}$/.test(text) && onChange(text === '' ? null : Number(text))}
    />
  </div>
);

function FlagPicker({ flag, onPick }: { flag: SurveyDraft['flag']; onPick: (flag: Flag) => void }) {
  const project = useProjectId();
  const [search, setSearch] = useState('');
  const found = useInfiniteQuery(flagsQuery(project, { search: useDeferredValue(search) }));
  return (
    <PopButton label={flag?.key ?? 'Choose a flag'}>
      {(close) => (
        <SearchList<Flag>
          label="Search flags"
          groups={[{ id: 'flags', items: found.data?.pages.flatMap(({ results }) => results) ?? [] }]}
          keyOf={({ id }) => String(id)}
          textOf={({ key }) => key}
          search={search}
          onSearch={setSearch}
          onPick={(picked) => {
            close();
            onPick(picked);
          }}
          empty={search === '' ? 'There is no flag yet.' : `No flag matches "${search}".`}
          isLoading={found.isFetching}
        />
      )}
    </PopButton>
  );
}
