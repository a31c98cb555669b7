import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useSaveShortcut } from '../../actions/use-save-shortcut.js';
import { useMayCreate } from '../../app/object-level.js';
import { useProjectId } from '../../app/project-context.js';
import { createFlag, noteFlag } from '../../data/flags.js';
import { Badge } from '../../ui/Badge.js';
import { Button } from '../../ui/Button.js';
import { PageHead } from '../../ui/PageHead.js';
import { type Refusal, SaveRefusal } from '../../ui/SaveRefusal.js';
import { NoPermission } from '../../ui/states.js';
import { faultsOf, fieldsOf, hasFaults } from './draft.js';
import { FlagFrame } from './FlagFrame.js';
import { ReleaseEditor } from './ReleaseEditor.js';
import { refusalOf } from './refusal.js';
import { useFlagDraft } from './use-flag-draft.js';

/** A flag that is not there yet. */
export function NewFlagScreen() {
  const project = useProjectId();
  const mayCreate = useMayCreate('feature_flag');
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
  if (!mayCreate)
    return (
      <>
        <PageHead title="New flag" />
        <NoPermission verb="create" what="flags" needs="Somebody who manages access to the project can let you." />
      </>
    );
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
