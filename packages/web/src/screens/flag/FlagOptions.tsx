import { type ReactNode, useState } from 'react';
import { Checkbox } from '../../ui/Checkbox.js';
import { Segmented } from '../../ui/Segmented.js';
import { TextField } from '../../ui/TextField.js';
import { type FlagDraft, listOfText } from './draft.js';

export interface FlagOptionsProps {
  draft: FlagDraft;
  isReadOnly: boolean;
  edit: (change: Partial<FlagDraft>) => void;
}

/** Tags, and how a flag is evaluated. */
export const FlagOptions = ({ draft, isReadOnly, edit }: FlagOptionsProps) => (
  <section aria-labelledby="options" className="grid gap-4">
    <h2 id="options" className="text-14 font-strong">
      Options
    </h2>
    <div className="grid grid-cols-2 gap-4 max-sm:grid-cols-1">
      <ListField
        label="Tags"
        help="Separated by commas"
        items={draft.tags}
        isReadOnly={isReadOnly}
        onChange={(tags) => edit({ tags: tags.map((tag) => tag.toLowerCase()) })}
      />
      <ListField
        label="Contexts"
        help="Only code that names one of these gets the flag. Empty: all code gets it."
        items={draft.contexts}
        isReadOnly={isReadOnly}
        onChange={(contexts) => edit({ contexts })}
      />
    </div>
    <fieldset disabled={isReadOnly} className="grid gap-4">
      <Choice label="Evaluated by" help="Code of other kinds does not get the flag.">
        <Segmented
          label="Evaluated by"
          isDisabled={isReadOnly}
          value={draft.runtime}
          options={[
            { value: 'all', label: 'All code' },
            { value: 'client', label: 'Browsers and apps' },
            { value: 'server', label: 'Servers' },
          ]}
          onChange={(runtime) => edit({ runtime })}
        />
      </Choice>
      {draft.groupType === null && (
        <Choice
          label="Percentages by"
          help="A device has one value, also when another person logs in; a person has one on every device."
        >
          <Segmented
            label="Percentages by"
            isDisabled={isReadOnly}
            value={draft.bucketing}
            options={[
              { value: 'distinct_id', label: 'Person' },
              { value: 'device_id', label: 'Device' },
            ]}
            onChange={(bucketing) => edit({ bucketing })}
          />
        </Choice>
      )}
      <Checkbox
        isDisabled={isReadOnly}
        isSelected={draft.keepsValueOverLogin}
        onChange={(keepsValueOverLogin) => edit({ keepsValueOverLogin })}
      >
        <span>
          Same value after log-in
          <span className="block text-12 text-text-2">Servers then cannot evaluate the flag by themselves.</span>
        </span>
      </Checkbox>
      <Checkbox isDisabled={isReadOnly} isSelected={draft.isPayloadOnly} onChange={(isPayloadOnly) => edit({ isPayloadOnly })}>
        <span>
          Payload only
          <span className="block text-12 text-text-2">The flag configures code by its payload, and is not on or off.</span>
        </span>
      </Checkbox>
    </fieldset>
  </section>
);

const Choice = ({ label, help, children }: { label: string; help: string; children: ReactNode }) => (
  <div className="grid justify-items-start gap-1">
    <span aria-hidden className="text-12 font-medium text-text-2">
      {label}
    </span>
    {children}
    <span className="text-12 text-text-3">{help}</span>
  </div>
);

interface ListFieldProps {
  label: string;
  help: string;
  items: readonly string[];
  isReadOnly: boolean;
  onChange: (items: string[]) => void;
}

/** A list as a text with commas. While it has the focus, the text stays as it is typed. */
function ListField({ label, help, items, isReadOnly, onChange }: ListFieldProps) {
  const [typed, setTyped] = useState<string | null>(null);
  return (
    <TextField
      label={label}
      help={help}
      isReadOnly={isReadOnly}
      value={typed ?? items.join(', ')}
      onChange={(text) => {
        setTyped(text);
        onChange(listOfText(text));
      }}
      onBlur={() => setTyped(null)}
    />
  );
}
