import { Plus, Trash2 } from 'lucide-react';
import { FilterChips } from '../../filter/FilterChips.js';
import { Button } from '../../ui/Button.js';
import { Card } from '../../ui/Card.js';
import { IconButton } from '../../ui/IconButton.js';
import { Segmented } from '../../ui/Segmented.js';
import { BehaviorRow } from './BehaviorRow.js';
import { type CohortDraft, type ConditionGroup, emptyGroup, faultOf, newBehavior } from './draft.js';

const MATCHES = [
  { value: 'AND', label: 'all' },
  { value: 'OR', label: 'any' },
] as const;

export interface ConditionsEditorProps {
  draft: CohortDraft;
  edit: (change: Partial<CohortDraft>) => void;
}

/** Edits of whom a cohort is made: groups of conditions, joined by all or any. */
export function ConditionsEditor({ draft: { match, groups }, edit }: ConditionsEditorProps) {
  const replace = (index: number, next: ConditionGroup | null) =>
    edit({ groups: groups.flatMap((group, at) => (at === index ? (next ? [next] : []) : [group])) });
  return (
    <div className="grid gap-3">
      {groups.length > 1 && (
        <p className="flex flex-wrap items-center gap-2 text-13 text-text-2">
          People in
          <Segmented label="Groups of conditions" options={MATCHES} value={match} onChange={(next) => edit({ match: next })} />
          of these groups
        </p>
      )}
      {groups.map((group, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: groups have no identity of their own
        <Card key={index} className="p-4">
          <Group
            group={group}
            number={groups.length > 1 ? index + 1 : null}
            onChange={(next) => replace(index, next)}
            onRemove={groups.length > 1 ? () => replace(index, null) : null}
          />
        </Card>
      ))}
      <div>
        <Button icon={<Plus size={14} aria-hidden />} onPress={() => edit({ groups: [...groups, emptyGroup()] })}>
          Add group of conditions
        </Button>
      </div>
    </div>
  );
}

interface GroupProps {
  group: ConditionGroup;
  /** Null: it is the only one. */
  number: number | null;
  onChange: (group: ConditionGroup) => void;
  onRemove: (() => void) | null;
}

function Group({ group, number, onChange, onRemove }: GroupProps) {
  const { match, filters, behaviors } = group;
  const fault = faultOf(group);
  return (
    <div className="grid gap-3">
      <div className="flex flex-wrap items-center gap-2 text-13">
        <h2 className="font-strong">{number === null ? 'People who match' : `Group ${number}: people who match`}</h2>
        <Segmented
          label={number === null ? 'Conditions' : `Conditions of group ${number}`}
          options={MATCHES}
          value={match}
          onChange={(next) => onChange({ ...group, match: next })}
        />
        <span className="flex-1 text-text-2">of these</span>
        {onRemove && (
          <IconButton label={`Remove group ${number}`} isSmall onPress={onRemove}>
            <Trash2 size={14} aria-hidden />
          </IconButton>
        )}
      </div>
      <div className="grid gap-1.5">
        <h3 className="text-12 font-medium text-text-2">Who they are</h3>
        <FilterChips
          filters={filters}
          onChange={(next) => onChange({ ...group, filters: next })}
          sources={['person', 'cohort']}
          addLabel="Property or cohort"
        />
      </div>
      <div>
        <h3 className="text-12 font-medium text-text-2">What they did</h3>
        <div className="divide-y divide-border">
          {behaviors.map((behavior, index) => (
            <BehaviorRow
              // biome-ignore lint/suspicious/noArrayIndexKey: conditions have no identity of their own
              key={index}
              index={index + 1}
              behavior={behavior}
              onChange={(next) => onChange({ ...group, behaviors: behaviors.map((one, at) => (at === index ? next : one)) })}
              onRemove={() => onChange({ ...group, behaviors: behaviors.filter((_, at) => at !== index) })}
            />
          ))}
        </div>
        <div className="mt-1.5">
          <Button
            isSmall
            icon={<Plus size={14} aria-hidden />}
            onPress={() => onChange({ ...group, behaviors: [...behaviors, newBehavior()] })}
          >
            Event they did or did not do
          </Button>
        </div>
      </div>
      {fault && <p className="text-12 text-warn">{fault}</p>}
    </div>
  );
}
