import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { createDashboard, refreshDashboards, templatesQuery } from '../data/dashboards.js';
import { ChoiceCards } from '../ui/ChoiceCards.js';
import { Dialog } from '../ui/Dialog.js';
import { Form } from '../ui/Form.js';
import { TextField } from '../ui/TextField.js';
import { useProjectId } from './project-context.js';

const EMPTY = { value: '', label: 'Empty', about: 'Add insights and texts yourself.' };

/** The name of a new dashboard, and the template that it begins with. The new dashboard opens. */
export function NewDashboardDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const project = useProjectId();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const templates = useQuery({ ...templatesQuery(project), enabled: isOpen });
  const [template, setTemplate] = useState('');
  const [name, setName] = useState('');
  const choices = templates.data?.results.map(({ template_name, dashboard_description, tiles }) => ({
    value: template_name,
    label: template_name,
    about: `${dashboard_description} ${tiles.length === 1 ? '1 tile.' : `${tiles.length} tiles.`}`.trim(),
  }));
  function choose(next: string): void {
    // the name of a template is a good name, until the person writes one
    if (name === '' || name === template) setName(next);
    setTemplate(next);
  }
  async function create(): Promise<void> {
    const made = await createDashboard(project, { name, ...(template && { use_template: template }) });
    await refreshDashboards(queries, project);
    onClose();
    await navigate({ to: `/p/${project}/dashboards/${made.id}` as string });
  }
  return (
    <Dialog title="New dashboard" isOpen={isOpen} onClose={onClose}>
      <Form fields={['name']} submit="Create dashboard" submitting="Creating…" onSubmit={create}>
        <TextField name="name" label="Name" isRequired autoFocus value={name} onChange={setName} />
        <ChoiceCards label="Begin with" options={[EMPTY, ...(choices ?? [])]} value={template} onChange={choose} />
      </Form>
    </Dialog>
  );
}
