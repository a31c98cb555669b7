import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Lock, LockOpen, UserPlus } from 'lucide-react';
import { useMemo, useRef } from 'react';
import { useActions } from '../../actions/actions.js';
import { PROJECT_LEVEL_NAMES, type ProjectLevel } from '../../app/access-levels.js';
import { useMe, useProject } from '../../app/project-context.js';
import { invitesQuery } from '../../data/members.js';
import { Badge } from '../../ui/Badge.js';
import { Button } from '../../ui/Button.js';
import { Card } from '../../ui/Card.js';
import { classNames } from '../../ui/class-names.js';
import { SearchField } from '../../ui/SearchField.js';
import { Segmented } from '../../ui/Segmented.js';
import { Fault, Message, Skeleton } from '../../ui/states.js';
import { Time } from '../../ui/Time.js';
import { Initials, personName } from './Initials.js';
import { InvitePanel } from './InvitePanel.js';
import { Invites } from './Invites.js';
import { MemberPanel } from './MemberPanel.js';
import { useRights } from './rights.js';
import { useSettings } from './rows.js';
import { SettingsPage } from './SettingsPage.js';
import { HEAD, ROW, TABLE } from './table.js';
import { type ExplainedMember, useMembers } from './use-members.js';
import { useVisibleRows } from './visible-rows.js';

const route = getRouteApi('/p/$project/settings/members');

type Show = 'all' | 'in' | 'out';

/** Who may see the project, at which level and why, and how others get in. */
export function MembersScreen() {
  const { organization, isOrganizationAdmin } = useRights();
  const members = useMembers();
  const { member: open, show = 'all', q = '', invite } = route.useSearch();
  const navigate = route.useNavigate();
  const invites = useQuery({ ...invitesQuery(organization), enabled: isOrganizationAdmin });
  const go = (next: { member?: string; invite?: 'new' }) =>
    void navigate({ search: { ...(show !== 'all' && { show }), ...(q && { q }), ...next } });
  useActions(
    useMemo(
      () =>
        isOrganizationAdmin
          ? [
              {
                id: 'member.invite',
                label: 'Invite a person',
                group: 'Settings',
                shortcut: 'n',
                perform: () => void navigate({ search: { invite: 'new' } }),
              },
            ]
          : [],
      [isOrganizationAdmin, navigate],
    ),
  );
  const opened = members.data?.find(({ member }) => member.user.uuid === open);
  const wanted = q.toLowerCase();
  const shown = (members.data ?? []).filter(
    ({ member: { user }, project }) =>
      (show === 'all' || (show === 'in') === project.level > 0) &&
      `${personName(user)} ${user.email}`.toLowerCase().includes(wanted),
  );
  const inside = members.data?.filter(({ project }) => project.level > 0).length ?? 0;
  const all = members.data?.length ?? 0;
  const counted = (name: string, count: number) => (members.data ? `${name} ${count}` : name);
  const isInviting = invite !== undefined && isOrganizationAdmin;
  return (
    <SettingsPage
      title="Members and access"
      actions={
        isOrganizationAdmin && (
          <Button kind="primary" icon={<UserPlus size={14} aria-hidden />} onPress={() => go({ invite: 'new' })}>
            Invite
          </Button>
        )
      }
      panel={
        isInviting ? (
          <InvitePanel onClose={() => go({})} />
        ) : (
          opened && <MemberPanel key={open} explained={opened} onClose={() => go({})} />
        )
      }
    >
      <ProjectAccess count={members.data?.length ?? null} />
      <div className="flex flex-wrap items-center gap-2">
        <div className="w-60 max-sm:w-full">
          <SearchField
            label="Name or e-mail"
            value={q}
            onChange={(text) =>
              void navigate({ search: { ...(show !== 'all' && { show }), ...(text && { q: text }) }, replace: true })
            }
          />
        </div>
        <Segmented<Show>
          label="Who is shown"
          options={[
            { value: 'all', label: counted('All', all) },
            { value: 'in', label: counted('In', inside) },
            { value: 'out', label: counted('Out', all - inside) },
          ]}
          value={show}
          onChange={(next) =>
            void navigate({ search: { ...(next !== 'all' && { show: next }), ...(q && { q }) }, replace: true })
          }
        />
      </div>
      <Card className="overflow-hidden">
        {members.error ? (
          <Fault title="The members could not be loaded" detail={members.error.message} onRetry={members.refetch} />
        ) : !members.data ? (
          <Skeleton rows={4} />
        ) : shown.length === 0 ? (
          <Message title="Nobody is like that">No member has this name or e-mail address and state.</Message>
        ) : (
          <MemberTable members={shown} openUuid={open} />
        )}
      </Card>
      {isOrganizationAdmin ? (
        <Invites query={invites} onInvite={() => go({ invite: 'new' })} />
      ) : (
        <p className="text-12 text-text-3">Administrators of the organization invite and remove people.</p>
      )}
    </SettingsPage>
  );
}

/** Whether the project is open to everybody in the organization. `count`: of its members; null: not known. */
function ProjectAccess({ count }: { count: number | null }) {
  const { settings, set } = useSettings();
  const { isProjectAdmin } = useRights();
  const isClosed = settings.access_control;
  return (
    <Card className="flex flex-wrap items-center gap-x-4 gap-y-2 p-4">
      {isClosed ? (
        <Lock size={16} aria-hidden className="text-text-3" />
      ) : (
        <LockOpen size={16} aria-hidden className="text-text-3" />
      )}
      <div className="min-w-0 flex-1 basis-48">
        <h2 className="text-13 font-strong">{isClosed ? 'This project is closed' : 'This project is open'}</h2>
        <p className="text-12 text-text-3">
          {isClosed
            ? 'Only people named here get in. Administrators of the organization always do.'
            : 'Everybody in the organization gets in, unless a rule says otherwise.'}
          {!isProjectAdmin && ' Administrators of the project can change that.'}
        </p>
      </div>
      {isProjectAdmin && (
        <Segmented
          label="Who gets in"
          options={[
            { value: 'open', label: count === null ? 'Open to all' : `Open to all ${count}` },
            { value: 'closed', label: 'Closed' },
          ]}
          value={isClosed ? 'closed' : 'open'}
          onChange={(value) => set({ access_control: value === 'closed' })}
        />
      )}
    </Card>
  );
}

const LEVEL_KINDS: Record<ProjectLevel, 'bad' | 'neutral' | 'accent'> = { 0: 'bad', 1: 'neutral', 8: 'accent', 15: 'accent' };

export const LevelBadge = ({ level }: { level: ProjectLevel }) => (
  <Badge kind={LEVEL_KINDS[level]}>{PROJECT_LEVEL_NAMES[level]}</Badge>
);

function MemberTable({ members, openUuid }: { members: readonly ExplainedMember[]; openUuid: string | undefined }) {
  const me = useMe();
  const { timezone } = useProject();
  const table = useRef<HTMLTableElement>(null);
  const { rows, before, after } = useVisibleRows(members, table);
  return (
    <table ref={table} className={`${TABLE} table-fixed`}>
      <thead>
        <tr className={HEAD}>
          <th>Person</th>
          <th className="w-32 max-sm:w-[46%]">Here</th>
          <th className="w-[30%] max-sm:hidden">Why</th>
          <th className="w-28 text-right max-sm:hidden">Last seen</th>
        </tr>
      </thead>
      <tbody>
        {before > 0 && <tr aria-hidden style={{ height: before }} />}
        {rows.map(({ member, project: { level, reason } }) => (
          <tr
            key={member.id}
            className={classNames(ROW, 'hover:bg-hover', member.user.uuid === openUuid && 'bg-accent-soft hover:bg-accent-soft')}
          >
            <th scope="row">
              <span className="flex items-center gap-2.5">
                <Initials user={member.user} />
                <span className="min-w-0">
                  <Link
                    to="."
                    search={(search: Record<string, unknown>) =>
                      ({ ...search, invite: undefined, member: member.user.uuid }) as never
                    }
                    className="block font-medium wrap-anywhere text-text no-underline! after:absolute after:inset-0"
                  >
                    {personName(member.user)}
                    {member.user.uuid === me.uuid && <span className="font-regular text-text-3"> (you)</span>}
                  </Link>
                  <span title={member.user.email} className="block truncate text-12 text-text-3">
                    {member.user.email}
                  </span>
                </span>
              </span>
            </th>
            <td>
              <LevelBadge level={level} />
              <span className="mt-0.5 block text-12 text-text-2 sm:hidden">{reason}</span>
            </td>
            <td className="text-text-2 max-sm:hidden">{reason}</td>
            <td className="text-right text-text-2 max-sm:hidden">
              {member.last_login ? <Time at={member.last_login} zone={timezone} /> : 'never'}
            </td>
          </tr>
        ))}
        {after > 0 && <tr aria-hidden style={{ height: after }} />}
      </tbody>
    </table>
  );
}
