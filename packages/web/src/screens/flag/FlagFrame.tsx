import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useProjectId } from '../../app/project-context.js';
import type { Flag } from '../../data/flags.js';
import { PageHead } from '../../ui/PageHead.js';
import { FlagAside } from './FlagAside.js';
import type { FlagEditing } from './use-flag-draft.js';

export interface FlagFrameProps {
  editing: FlagEditing;
  flag: Flag | null;
  badges: ReactNode;
  actions: ReactNode;
  children: ReactNode;
}

/** Head, editor at the left, what comes of it at the right. */
export function FlagFrame({ editing, flag, badges, actions, children }: FlagFrameProps) {
  const project = useProjectId();
  return (
    <>
      <PageHead
        crumb={<Link to={`/p/${project}/flags` as string}>Flags</Link>}
        title={flag ? <span className="font-mono text-14">{flag.key}</span> : 'New flag'}
        badges={badges}
        actions={actions}
      />
      <div className="flex min-h-0 flex-1 max-lg:block max-lg:overflow-y-auto">
        <div className="min-w-0 flex-1 overflow-y-auto p-6 max-lg:overflow-visible max-sm:p-4">{children}</div>
        <FlagAside editing={editing} flag={flag} />
      </div>
    </>
  );
}
