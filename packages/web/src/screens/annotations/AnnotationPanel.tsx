import { useQueryClient } from '@tanstack/react-query';
import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useProject, useProjectId } from '../../app/project-context.js';
import {
  type Annotation,
  createAnnotation,
  deleteAnnotation,
  refreshAnnotations,
  updateAnnotation,
} from '../../data/annotations.js';
import { Button } from '../../ui/Button.js';
import { Form } from '../../ui/Form.js';
import { Panel } from '../../ui/Panel.js';
import { Segmented } from '../../ui/Segmented.js';
import { TextField } from '../../ui/TextField.js';
import { Time } from '../../ui/Time.js';
import { toast } from '../../ui/toast.js';
import { instantOf, localOf } from './local-time.js';

export interface AnnotationPanelProps {
  /** Null: a new one. */
  annotation: Annotation | null;
  mayEdit: boolean;
  onClose: () => void;
}

/** Makes or changes an annotation. Who may not reads it. */
export function AnnotationPanel({ annotation, mayEdit, onClose }: AnnotationPanelProps) {
  const project = useProjectId();
  const queries = useQueryClient();
  const { timezone } = useProject();
  const [scope, setScope] = useState<'project' | 'organization'>('project');
  const save = async ({ content = '', at = '' }: Record<string, string>) => {
    const fields = { content, date_marker: instantOf(at, timezone) };
    if (annotation) await updateAnnotation(project, annotation.id, fields);
    else await createAnnotation(project, { ...fields, scope });
    await refreshAnnotations(queries, project);
    onClose();
  };
  const remove = async () => {
    if (!annotation) return;
    try {
      await deleteAnnotation(queries, project, annotation);
      onClose();
    } catch (error) {
      toast(`Not deleted: ${(error as Error).message}`);
    }
  };
  if (!mayEdit)
    return (
      <Panel title="Annotation" onClose={onClose}>
        <p className="text-13 wrap-anywhere whitespace-pre-wrap">{annotation?.content}</p>
        {annotation?.date_marker && (
          <p className="mt-2 text-12 text-text-3">
            <Time at={annotation.date_marker} zone={timezone} />
          </p>
        )}
      </Panel>
    );
  return (
    <Panel
      title={annotation ? 'Annotation' : 'New annotation'}
      onClose={onClose}
      footer={
        annotation && (
          <Button kind="danger" icon={<Trash2 size={14} aria-hidden />} onPress={() => void remove()}>
            Delete annotation
          </Button>
        )
      }
    >
      <Form
        fields={['content', 'at']}
        submit={annotation ? 'Save annotation' : 'Create annotation'}
        submitting={annotation ? 'Saving…' : 'Creating…'}
        onSubmit={save}
      >
        <TextField label="What happened" name="content" rows={4} isRequired defaultValue={annotation?.content ?? ''} autoFocus />
        <TextField
          label="When"
          name="at"
          type="datetime-local"
          isRequired
          help={`In the zone of the project, ${timezone}`}
          defaultValue={localOf(annotation?.date_marker ?? new Date().toISOString(), timezone)}
        />
        {!annotation && (
          <div className="grid gap-1">
            <span className="text-12 font-medium text-text-2">Shown on the charts of</span>
            <div>
              <Segmented
                label="Shown on the charts of"
                options={[
                  { value: 'project', label: 'This project' },
                  { value: 'organization', label: 'All projects' },
                ]}
                value={scope}
                onChange={setScope}
              />
            </div>
          </div>
        )}
      </Form>
    </Panel>
  );
}
