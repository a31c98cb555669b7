import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useSaveShortcut } from '../../actions/use-save-shortcut.js';
import { useCreationBarrier } from '../../app/creation-barrier.js';
import { useProjectId } from '../../app/project-context.js';
import { createFlag, noteFlag } from '../../data/flags.js';
import { Badge } from '../../ui/Badge.js';
import { Button } from '../../ui/Button.js';
import { type Refusal, SaveRefusal } from '../../ui/SaveRefusal.js';
import { faultsOf, fieldsOf, hasFaults } from './draft.js';
import { FlagFrame } from './FlagFrame.js';
import { ReleaseEditor } from './ReleaseEditor.js';
import { refusalOf } from './refusal.js';
import { useFlagDraft } from './use-flag-draft.js';

/** A flag that is not there yet. */
export function NewFlagScreen() {
  const project = useProjectId();
  const barrier = useCreationBarrier('feature_flag', 'flags', {
    crumb: <Link to={`/p/${project}/flags` as string}>Flags</Link>,
    title: 'New flag',
  });
  const editing = useFlagDraft(project, null);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const [isSaving, setSaving] = useState(false);
  const isWrong = hasFaults(faultsOf(editing.draft));
  const create = async (): Promise<void> => {
    setSaving(true);
    setRefusal(null);
    try {
      const made = await createFlag(project, fieldsOf(editing.draft));
      editing.discard();
      await noteFlag(queries, project, made);
      await navigate({ to: `/p/${project}/flags/${made.id}` as string, replace: true });
    } catch (error) {
      setRefusal(refusalOf(error));
    } finally {
      setSaving(false);
    }
  };
  useSaveShortcut('Save flag', isWrong ? null : () => void create());
  if (barrier) return barrier;
  return (
    <FlagFrame
      editing={editing}
      flag={null}
      badges={editing.changes.length > 0 && <Badge kind="warn">Not created yet</Badge>}
      actions={
        <Button kind="primary" isDisabled={isWrong} busyLabel={isSaving ? 'Creating…' : null} onPress={() => void create()}>
          Create flag
        </Button>
      }
    >
      {refusal && <SaveRefusal refusal={refusal} />}
      <ReleaseEditor editing={editing} flag={null} />
    </FlagFrame>
  );
}
