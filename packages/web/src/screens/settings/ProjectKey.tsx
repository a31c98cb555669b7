import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { RotateCcw } from 'lucide-react';
import { useState } from 'react';
import { useProject, useProjectId } from '../../app/project-context.js';
import { projectQuery } from '../../data/project.js';
import { resetProjectKey } from '../../data/settings.js';
import { Button } from '../../ui/Button.js';
import { Card } from '../../ui/Card.js';
import { CopyButton } from '../../ui/CodeBlock.js';
import { ConfirmByName } from '../../ui/ConfirmByName.js';
import { useRights } from './rights.js';

/** The public key of the project, with which pages and apps send events. */
export function ProjectKey() {
  const { api_token: token } = useProject();
  const id = useProjectId();
  const { isProjectAdmin } = useRights();
  const queries = useQueryClient();
  const router = useRouter();
  const [isRolling, setRolling] = useState(false);
  return (
    <section>
      <div className="mb-2 flex flex-wrap items-baseline gap-x-2">
        <h2 className="text-14 font-strong">Project key</h2>
        <p className="text-12 text-text-3">Public: it may only send events and read flags. It stands in your pages.</p>
      </div>
      <Card className="flex flex-wrap items-center gap-2 px-4 py-3">
        <code className="min-w-0 flex-1 font-mono max-sm:basis-full text-12 wrap-anywhere">{token}</code>
        <CopyButton text={token} what="the project key" />
        {isProjectAdmin && (
          <Button isSmall icon={<RotateCcw size={14} aria-hidden />} onPress={() => setRolling(true)}>
            Roll
          </Button>
        )}
      </Card>
      {!isProjectAdmin && <p className="mt-1 text-12 text-text-3">Administrators of the project can give it a new one.</p>}
      {isRolling && (
        <ConfirmByName
          title="Give the project a new key?"
          consequence="The key so far stops at once: pages and apps that have it lose their events until they have the new one. Flags and surveys stop there as well."
          name="new key"
          confirm="Roll project key"
          confirming="Rolling…"
          onClose={() => setRolling(false)}
          onConfirm={async () => {
            queries.setQueryData(projectQuery(id).queryKey, await resetProjectKey(id));
            await router.invalidate();
          }}
        />
      )}
    </section>
  );
}
