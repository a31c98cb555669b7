import { useState } from 'react';
import type { DashboardFields } from '../../data/dashboards.js';
import { Dialog } from '../../ui/Dialog.js';
import { Form } from '../../ui/Form.js';
import { Select } from '../../ui/Select.js';
import { TextField } from '../../ui/TextField.js';

const TEMPLATES = [
  { value: '', label: 'Empty' },
  { value: 'DEFAULT_APP', label: 'Product: who uses it and comes back' },
  { value: 'WEBSITE_TRAFFIC', label: 'Website traffic' },
];

export interface NewDashboardDialogProps {
  isOpen: boolean;
  onClose: () => void;
  onCreate: (fields: DashboardFields) => Promise<void>;
}

/** The name of a new dashboard, and the template that it begins with. */
export function NewDashboardDialog({ isOpen, onClose, onCreate }: NewDashboardDialogProps) {
  const [template, setTemplate] = useState('');
  return (
    <Dialog title="New dashboard" isOpen={isOpen} onClose={onClose}>
      <Form
        fields={['name']}
        submit="Create dashboard"
        submitting="Creating…"
        onSubmit={({ name = '' }) => onCreate({ name, ...(template && { use_template: template }) })}
      >
        <TextField name="name" label="Name" isRequired autoFocus />
        <Select label="Begin with" options={TEMPLATES} value={template} onChange={setTemplate} />
      </Form>
    </Dialog>
  );
}
