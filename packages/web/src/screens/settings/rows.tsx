import { useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useProject, useProjectId } from '../../app/project-context.js';
import { projectQuery } from '../../data/project.js';
import { type ProjectFields, useChangeProject } from '../../data/settings.js';
import { classNames } from '../../ui/class-names.js';
import { Segmented } from '../../ui/Segmented.js';
import { type Option, Select } from '../../ui/Select.js';
import { Switch } from '../../ui/Switch.js';
import { toast } from '../../ui/toast.js';
import { useSettingsRefusal } from './rights.js';

/** The settings of the project as they are shown now, and a function that changes them at once. */
export function useSettings() {
  const id = useProjectId();
  const router = useRouter();
  const loaded = useProject();
  const current = useQuery(projectQuery(id)).data ?? loaded;
  const { mutateAsync } = useChangeProject(id, (reason) => toast(`Not changed: ${reason}`));
  const change = async (fields: ProjectFields): Promise<void> => {
    await mutateAsync(fields);
    await router.invalidate();
  };
  return {
    settings: current,
    refusal: useSettingsRefusal(),
    /** A refusal is shown in a toast, and the setting is back. */
    set: (fields: ProjectFields) => void change(fields).catch(() => {}),
    /** For forms, which show the refusal themselves. */
    change,
  };
}

export const Rows = ({ children }: { children: ReactNode }) => <div className="-my-3 divide-y divide-border">{children}</div>;

/** One setting: its name, what it means and its control. @param props.isNarrow whether the control fits beside the words on a phone */
export const Row = ({
  label,
  help,
  isNarrow = false,
  children,
}: {
  label: string;
  help?: ReactNode;
  isNarrow?: boolean;
  children: ReactNode;
}) => (
  <div className={classNames('flex min-h-12 items-center gap-x-6 gap-y-2 py-3', !isNarrow && 'max-sm:flex-wrap')}>
    <div className={classNames('min-w-0 flex-1', !isNarrow && 'max-sm:basis-full')}>
      <p className="text-13 font-medium">{label}</p>
      {help && <p className="max-w-prose text-12 text-text-3">{help}</p>}
    </div>
    <div className="max-w-full shrink-0 text-13">{children}</div>
  </div>
);

interface ControlProps {
  label: string;
  help?: ReactNode;
  /** Whether the person may only read it: its value is a word then. */
  isReadOnly: boolean;
}

/** A setting that is on or off. */
export const SwitchRow = ({
  label,
  help,
  isReadOnly,
  isOn,
  onChange,
}: ControlProps & { isOn: boolean; onChange: (isOn: boolean) => void }) => (
  <Row label={label} help={help} isNarrow>
    {isReadOnly ? isOn ? 'On' : 'Off' : <Switch aria-label={label} isSelected={isOn} onChange={onChange} />}
  </Row>
);

/** A setting with a few values, or (`isLong`) with many. */
export function ChoiceRow<Value extends string>({
  label,
  help,
  isReadOnly,
  isLong = false,
  options,
  value,
  onChange,
}: ControlProps & { isLong?: boolean; options: readonly Option<Value>[]; value: Value; onChange: (value: Value) => void }) {
  return (
    <Row label={label} help={help}>
      {isReadOnly ? (
        (options.find((option) => option.value === value)?.label ?? value)
      ) : isLong ? (
        <div className="w-56">
          <Select label={label} hideLabel options={options} value={value} onChange={onChange} />
        </div>
      ) : (
        <Segmented label={label} options={options} value={value} onChange={onChange} />
      )}
    </Row>
  );
}
