import { useState } from 'react';
import { useMe } from '../../app/project-context.js';
import { type ApiKey, changeKey, createKey } from '../../data/keys.js';
import { Button } from '../../ui/Button.js';
import { Checkbox } from '../../ui/Checkbox.js';
import { classNames } from '../../ui/class-names.js';
import { Panel } from '../../ui/Panel.js';
import { Segmented } from '../../ui/Segmented.js';
import { sentenceOf } from '../../ui/sentence-of.js';
import { TextField } from '../../ui/TextField.js';
import { accessOf, PRESETS, type Preset, presetOf, SCOPES, type ScopeAccess, withAccess } from './scopes.js';

interface KeyPanelProps {
  /** The key to change; null: a new one. */
  before: ApiKey | null;
  onClose: () => void;
  onDone: (key: ApiKey) => Promise<void>;
}

const PRESET_OPTIONS = (['read', 'flags', 'export', 'all', 'hand'] as const).map((value) => ({
  value,
  label: PRESETS[value].label,
}));

/** Creates a key, or changes its name, scopes and projects. */
export function KeyPanel({ before, onClose, onDone }: KeyPanelProps) {
  const [label, setLabel] = useState(before?.label ?? '');
  const [scopes, setScopes] = useState<readonly string[]>(before?.scopes ?? PRESETS.read.scopes);
  const [preset, setPreset] = useState<Preset>(presetOf(scopes));
  const [teams, setTeams] = useState<readonly number[]>(before?.scoped_teams ?? []);
  const [isLimited, setLimited] = useState(teams.length > 0);
  const [fault, setFault] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const projects = useMe().organization?.teams ?? [];
  const problem =
    scopes.length === 0
      ? 'Choose at least one thing that the key may do.'
      : isLimited && teams.length === 0
        ? 'Choose at least one project.'
        : null;
  const change = (next: readonly string[]) => {
    setScopes(next);
    setPreset(presetOf(next));
  };
  const send = async () => {
    setBusy(true);
    setFault(null);
    try {
      const fields = { label: label.trim(), scopes: [...scopes], scoped_teams: isLimited ? [...teams] : [] };
      await onDone(before ? await changeKey(before.id, fields) : await createKey(fields));
    } catch (error) {
      setFault(sentenceOf(error));
      setBusy(false);
    }
  };
  const chosen = SCOPES.filter(({ object }) => accessOf(scopes, object) !== 'none').length;
  return (
    <Panel
      title={before ? `Change “${before.label}”` : 'New key'}
      onClose={onClose}
      footer={
        <>
          <Button kind="quiet" onPress={onClose}>
            Cancel
          </Button>
          <Button
            kind="primary"
            isDisabled={label.trim() === '' || problem !== null}
            busyLabel={isBusy ? (before ? 'Saving…' : 'Creating…') : null}
            onPress={() => void send()}
          >
            {before ? 'Save key' : 'Create key'}
          </Button>
        </>
      }
    >
      <div className="grid gap-4">
        <TextField
          label="Name"
          help="What the key is for"
          value={label}
          onChange={setLabel}
          maxLength={40}
          isRequired
          autoFocus
        />
        <div className="grid gap-1">
          <p className="text-12 font-medium text-text-2">Start from</p>
          <div className="-mx-1 overflow-x-auto px-1 py-0.5">
            <Segmented
              label="Start from"
              options={PRESET_OPTIONS}
              value={preset}
              onChange={(next) => {
                setPreset(next);
                setScopes(PRESETS[next].scopes);
              }}
            />
          </div>
        </div>
        <ScopeList scopes={scopes} chosen={chosen} onChange={change} />
        <div className="grid gap-1">
          <p className="text-12 font-medium text-text-2">Reaches</p>
          <Segmented
            label="Reaches"
            options={[
              { value: 'all', label: 'All my projects' },
              { value: 'some', label: 'Only some' },
            ]}
            value={isLimited ? 'some' : 'all'}
            onChange={(value) => setLimited(value === 'some')}
          />
          {isLimited && (
            <ul className="mt-1 grid gap-1.5">
              {projects.map(({ id, name }) => (
                <li key={id}>
                  <Checkbox
                    isSelected={teams.includes(id)}
                    onChange={(isOn) => setTeams(isOn ? [...teams, id] : teams.filter((one) => one !== id))}
                  >
                    {name}
                  </Checkbox>
                </li>
              ))}
            </ul>
          )}
        </div>
        {problem && <p className="text-12 text-text-2">{problem}</p>}
        {fault && (
          <p role="alert" className="rounded-m bg-bad-soft px-3 py-2 text-13 text-bad">
            {fault}
          </p>
        )}
      </div>
    </Panel>
  );
}

const ACCESS: readonly { value: ScopeAccess; label: string }[] = [
  { value: 'none', label: 'None' },
  { value: 'read', label: 'Read' },
  { value: 'write', label: 'Write' },
];

function ScopeList({
  scopes,
  chosen,
  onChange,
}: {
  scopes: readonly string[];
  chosen: number;
  onChange: (scopes: readonly string[]) => void;
}) {
  return (
    <div className="grid gap-1">
      <p className="flex text-12 text-text-3">
        <span className="flex-1 font-medium text-text-2">May do</span>
        <span className="tnum">
          {chosen} of {SCOPES.length} chosen
        </span>
      </p>
      <ul className="rounded-l border border-border">
        {SCOPES.map(({ object, label, isReadOnly }) => {
          const access = accessOf(scopes, object);
          return (
            <li key={object} className="flex min-h-9 items-center gap-2 border-b border-border px-3 py-1 last:border-b-0">
              <span className={classNames('min-w-0 flex-1 text-13', access === 'none' ? 'text-text-2' : 'font-medium')}>
                {label}
              </span>
              <Segmented
                label={label}
                options={isReadOnly ? ACCESS.slice(0, 2) : ACCESS}
                value={isReadOnly && access === 'write' ? 'read' : access}
                onChange={(next) => onChange(withAccess(scopes, object, next))}
              />
            </li>
          );
        })}
      </ul>
      <p className="text-12 text-text-3">A key can never do more than you yourself.</p>
    </div>
  );
}
