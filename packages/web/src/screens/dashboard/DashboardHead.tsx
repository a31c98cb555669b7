import { Link } from '@tanstack/react-router';
import { Globe, Lock, Maximize, Pencil, Share2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { useProjectId } from '../../app/project-context.js';
import { type Dashboard, mayEdit } from '../../data/dashboards.js';
import { ExportMenu } from '../../share/ExportMenu.js';
import { Badge } from '../../ui/Badge.js';
import { Button } from '../../ui/Button.js';
import { IconButton } from '../../ui/IconButton.js';
import { MenuLine, MenuRow, MoreMenu } from '../../ui/Menu.js';
import { PageHead } from '../../ui/PageHead.js';

/** What opens over a dashboard. */
export type DashboardDialog = 'rename' | 'text' | 'share' | 'variables';

export interface DashboardHeadProps {
  dashboard: Dashboard;
  /** Buttons while the layout is edited; null: it is not. */
  editing: ReactNode;
  /** The menu that adds tiles. */
  add: ReactNode;
  onOpen: (dialog: DashboardDialog) => void;
  onPresent: () => void;
  onEdit: () => void;
  onKeep: () => void;
  onDelete: () => void;
}

/** Name and states of a dashboard, and what can be done with it. Only who may change it sees the buttons that do. */
export function DashboardHead({ dashboard, editing, add, onOpen, onPresent, onEdit, onKeep, onDelete }: DashboardHeadProps) {
  const project = useProjectId();
  const { id, name, is_shared, effective_restriction_level } = dashboard;
  const canEdit = mayEdit(dashboard);
  return (
    <PageHead
      crumb={<Link to={`/p/${project}/dashboards` as string}>Dashboards</Link>}
      title={name || 'Untitled'}
      badges={
        <>
          {is_shared && (
            <Badge kind="accent" icon={<Globe size={12} aria-hidden />}>
              Public
            </Badge>
          )}
          {effective_restriction_level > 21 && <Badge icon={<Lock size={12} aria-hidden />}>Restricted</Badge>}
        </>
      }
      actions={
        editing ?? (
          <>
            <ExportMenu of={{ dashboard: id }} />
            {canEdit && (
              <Button icon={<Share2 size={14} aria-hidden />} onPress={() => onOpen('share')}>
                Share
              </Button>
            )}
            <span className="max-sm:hidden">
              <IconButton label="Full screen" onPress={onPresent}>
                <Maximize size={16} aria-hidden />
              </IconButton>
            </span>
            {canEdit && (
              <>
                <MoreMenu label="Dashboard">
                  <MenuRow onAction={() => onOpen('rename')}>Rename</MenuRow>
                  <MenuRow onAction={onKeep}>Keep these dates and values for everybody</MenuRow>
                  <MenuRow onAction={() => onOpen('variables')}>Variables</MenuRow>
                  <MenuLine />
                  <MenuRow isDanger onAction={onDelete}>
                    Delete dashboard
                  </MenuRow>
                </MoreMenu>
                {/* tiles are moved in a grid, which a phone has no room for */}
                <span className="max-sm:hidden">
                  <Button icon={<Pencil size={14} aria-hidden />} onPress={onEdit}>
                    Edit layout
                  </Button>
                </span>
                {add}
              </>
            )}
          </>
        )
      }
    />
  );
}
