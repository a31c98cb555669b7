import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useProjectId } from '../app/project-context.js';
import { ApiFailure } from '../data/api.js';
import {
  audienceQuery,
  refreshSharing,
  rotateLink,
  type Shared,
  type SharingFields,
  sharingQuery,
  updateSharing,
} from '../data/sharing.js';
import { Dialog } from '../ui/Dialog.js';
import { Fault, NoPermission, Skeleton } from '../ui/states.js';
import { Tabs } from '../ui/Tabs.js';
import { Embed } from './Embed.js';
import { People } from './People.js';
import { PublicLink } from './PublicLink.js';

type Tab = 'link' | 'embed' | 'people';

export interface ShareDialogProps {
  shared: Shared;
  name: string;
  /** Where a recording begins, in seconds. */
  at?: number;
  onClose: () => void;
}

/** The public link of a dashboard, insight or recording with its options, the code to embed it, and who sees it. */
export function ShareDialog({ shared, name, at, onClose }: ShareDialogProps) {
  const project = useProjectId();
  const queries = useQueryClient();
  const options = sharingQuery(project, shared);
  const sharing = useQuery(options);
  const audience = useQuery(audienceQuery(project, shared));
  const [tab, setTab] = useState<Tab>('link');
  const refresh = () => refreshSharing(queries, project);
  const change = useMutation({
    mutationFn: (fields: SharingFields) => updateSharing(project, shared, fields),
    onMutate: async (fields) => {
      await queries.cancelQueries(options);
      queries.setQueryData(options.queryKey, (before) => before && { ...before, ...(fields as object) });
    },
    onSuccess: (stored) => void queries.setQueryData(options.queryKey, stored),
    // the change is stored, or not, before the rest of the project has been read again
    onSettled: () => void refresh(),
  });
  const isTurnedOn = change.variables?.enabled === true;
  const rotate = useMutation({ mutationFn: () => rotateLink(project, shared), onSettled: refresh });
  const fault = sharing.error ?? change.error ?? rotate.error;
  const mayShare = !(audience.error instanceof ApiFailure && audience.error.status === 403);
  const { data } = sharing;
  return (
    <Dialog title={`Share "${name}"`} isOpen onClose={onClose} isWide>
      {!mayShare && <NoPermission what="its sharing" needs="You can see it, and not change how it is shared." />}
      {mayShare && fault && <Fault title="Sharing could not be changed" detail={fault.message} />}
      {mayShare && sharing.isPending && <Skeleton rows={4} />}
      {mayShare && data && (
        <Tabs<Tab>
          label="Share"
          selected={tab}
          onSelect={setTab}
          tabs={[
            {
              id: 'link',
              label: 'Public link',
              content: () => (
                <PublicLink
                  shared={shared}
                  sharing={data}
                  state={isTurnedOn && change.isPending ? 'storing' : isTurnedOn && change.isSuccess ? 'new' : 'known'}
                  at={at}
                  onChange={change.mutate}
                  onRotate={rotate.mutate}
                  isRotating={rotate.isPending}
                />
              ),
            },
            {
              id: 'embed',
              label: 'Embed',
              content: () => <Embed sharing={data} name={name} isChanging={change.isPending || rotate.isPending} />,
            },
            { id: 'people', label: 'People', content: () => <People shared={shared} /> },
          ]}
        />
      )}
    </Dialog>
  );
}
