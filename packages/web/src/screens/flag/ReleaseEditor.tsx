import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useProject, useProjectId } from '../../app/project-context.js';
import { dependentFlagsQuery, type Flag } from '../../data/flags.js';
import { Button } from '../../ui/Button.js';
import { Select } from '../../ui/Select.js';
import { TextField } from '../../ui/TextField.js';
import { ConditionCard } from './ConditionCard.js';
import { type Condition, faultsOf, nextId } from './draft.js';
import { FlagOptions } from './FlagOptions.js';
import type { FlagEditing } from './use-flag-draft.js';
import { useReach } from './use-reach.js';
import { Payload, Variants } from './Variants.js';

/** Everything about a flag that is saved together. @param props.flag null: a new flag */
export function ReleaseEditor({ editing, flag }: { editing: FlagEditing; flag: Flag | null }) {
  const { group_types: groupTypes } = useProject();
  const { draft, edit } = editing;
  const { conditions, groupType } = draft;
  const isReadOnly = flag !== null && !flag.can_edit;
  const faults = faultsOf(draft);
  const reach = useReach(conditions, groupType);
  const set = (next: Condition[]) => edit({ conditions: next });
  const move = (from: number, to: number) => {
    const next = [...conditions];
    next.splice(to, 0, ...next.splice(from, 1));
    set(next);
  };
  const everybody = (): Condition => ({
    id: nextId(conditions),
    title: '',
    properties: [],
    dependencies: [],
    percentage: 100,
    variant: null,
    rest: {},
  });
  return (
    <div className="grid max-w-4xl grid-cols-[minmax(0,1fr)] gap-6">
      <div className="grid grid-cols-2 gap-4 max-sm:grid-cols-1">
        <TextField
          label="Key"
          isMono
          value={draft.key}
          isReadOnly={isReadOnly}
          autoFocus={flag === null}
          onChange={(key) => edit({ key })}
          error={draft.key === '' ? null : faults.key}
          help={
            flag && flag.key !== draft.key
              ? 'Code that has the old key gets no value any more, and other people are within each percentage.'
              : 'Code evaluates the flag by this key.'
          }
        />
        <TextField
          label="Description"
          help="What it is for, if you like"
          value={draft.name}
          isReadOnly={isReadOnly}
          onChange={(name) => edit({ name })}
        />
      </div>
      <section aria-labelledby="conditions">
        <div className="mb-2 flex flex-wrap items-center gap-x-3 gap-y-2">
          <h2 id="conditions" className="text-14 font-strong">
            Conditions
          </h2>
          <span className="min-w-0 flex-1 text-12 text-text-2 max-sm:basis-full">
            From the top; the first that matches decides
          </span>
          {groupTypes.length > 0 && (
            <div className="w-40">
              <Select
                label="Who gets the flag"
                hideLabel
                isSmall
                isDisabled={isReadOnly}
                value={String(groupType ?? 'people')}
                options={[
                  { value: 'people', label: 'People' },
                  ...groupTypes.map(({ group_type_index, group_type, name_plural }) => ({
                    value: String(group_type_index),
                    label: name_plural ?? `Groups: ${group_type}`,
                  })),
                ]}
                onChange={(value) => edit({ groupType: value === 'people' ? null : Number(value) })}
              />
            </div>
          )}
          {!isReadOnly && (
            <Button isSmall icon={<Plus size={14} aria-hidden />} onPress={() => set([...conditions, everybody()])}>
              Add condition
            </Button>
          )}
        </div>
        <ol className="grid gap-2">
          {conditions.map((condition, index) => (
            <li key={condition.id} className="min-w-0">
              <ConditionCard
                condition={condition}
                number={index + 1}
                count={conditions.length}
                variants={draft.variants}
                groupType={groupType}
                reach={reach[index] ?? null}
                ownId={flag?.id ?? null}
                isReadOnly={isReadOnly}
                onChange={(change) => set(conditions.map((one) => (one.id === condition.id ? { ...one, ...change } : one)))}
                onMove={(by) => move(index, index + by)}
                onCopy={() => set(conditions.toSpliced(index + 1, 0, { ...condition, id: nextId(conditions) }))}
                onRemove={() => set(conditions.filter(({ id }) => id !== condition.id))}
              />
            </li>
          ))}
        </ol>
        {conditions.length === 0 && (
          <p className="rounded-l border border-dashed border-border-strong p-4 text-13 text-text-2">
            <strong className="font-strong text-text">Nobody gets this flag.</strong> It has no condition.
          </p>
        )}
      </section>
      <Variants draft={draft} faults={faults} isReadOnly={isReadOnly} edit={edit} />
      {draft.variants.length === 0 && <Payload draft={draft} faults={faults} isReadOnly={isReadOnly} edit={edit} />}
      <FlagOptions draft={draft} isReadOnly={isReadOnly} edit={edit} />
      {flag && <DependentFlags id={flag.id} />}
    </div>
  );
}

/** The flags that would change with this one. */
function DependentFlags({ id }: { id: number }) {
  const project = useProjectId();
  const { data = [] } = useQuery(dependentFlagsQuery(project, id));
  if (data.length === 0) return null;
  return (
    <section aria-labelledby="dependents">
      <h2 id="dependents" className="text-14 font-strong">
        Flags that depend on this one
      </h2>
      <p className="mt-1 mb-2 text-12 text-text-2">While they do, this flag cannot be switched off or deleted.</p>
      <ul className="flex flex-wrap gap-x-4 gap-y-1">
        {data.map((other) => (
          <li key={other.id}>
            <Link to={`/p/${project}/flags/${other.id}` as string} className="font-mono text-12">
              {other.key}
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
