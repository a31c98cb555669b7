import { useQueryClient } from '@tanstack/react-query';
import { CircleHelp } from 'lucide-react';
import { useState } from 'react';
import {
  explainObjectLevel,
  OBJECT_LEVEL_NAMES,
  OBJECT_LEVELS,
  type ObjectLevel,
  PROJECT_LEVEL_NAMES,
  RESOURCES,
} from '../../app/access-levels.js';
import { useMe, useProjectId } from '../../app/project-context.js';
import { changeMember, type Level, putProjectRule, putResourceRule, removeMember, setExplicitLevel } from '../../data/members.js';
import { Badge } from '../../ui/Badge.js';
import { Button } from '../../ui/Button.js';
import { ConfirmByName } from '../../ui/ConfirmByName.js';
import { Panel } from '../../ui/Panel.js';
import { Segmented } from '../../ui/Segmented.js';
import { Select } from '../../ui/Select.js';
import { toast } from '../../ui/toast.js';
import { personName } from './Initials.js';
import { MemberRoles } from './MemberRoles.js';
import { useRights } from './rights.js';
import { useAccessChange } from './use-access-change.js';
import type { ExplainedMember } from './use-members.js';

/** The levels of one person, with the reason of each, and what changes them. */
export function MemberPanel({ explained, onClose }: { explained: ExplainedMember; onClose: () => void }) {
  const { member, project } = explained;
  const name = personName(member.user);
  const me = useMe();
  const { organizationLevel, isOrganizationAdmin } = useRights();
  const isSelf = member.user.uuid === me.uuid;
  const isAbove = member.level > organizationLevel;
  const mayEdit = isOrganizationAdmin && !isSelf && !isAbove;
  return (
    <Panel title={name} onClose={onClose} footer={mayEdit && <MemberEnd explained={explained} onClose={onClose} />}>
      <div className="grid gap-5">
        <p className="text-13 wrap-anywhere text-text-2">{member.user.email}</p>
        <OrganizationLevel explained={explained} mayEdit={mayEdit} isSelf={isSelf} />
        <ProjectLevelChoice explained={explained} isSelf={isSelf} />
        <MemberRoles member={member} roles={explained.roles} />
        <section>
          <h3 className="border-b border-border pb-2 text-13 font-strong">What {isSelf ? 'you' : name} can do, and why</h3>
          <ul className="divide-y divide-border">
            {RESOURCES.map(({ resource, label }) => (
              <ObjectRow key={resource} explained={explained} resource={resource} label={label} />
            ))}
          </ul>
        </section>
        <p className="flex items-start gap-2 rounded-m bg-sunken px-3 py-2 text-12 text-text-2">
          <CircleHelp size={14} aria-hidden className="mt-0.5 shrink-0" />
          <span>
            {project.level === 0
              ? 'Without access to the project, nothing in it can be seen.'
              : 'The most exact rule wins: that of the object itself, then the highest that names the person or their roles, then the rule for everybody. The person who made an object can always manage it.'}
          </span>
        </p>
      </div>
    </Panel>
  );
}

function OrganizationLevel({ explained, mayEdit, isSelf }: { explained: ExplainedMember; mayEdit: boolean; isSelf: boolean }) {
  const { member } = explained;
  const { organization, organizationLevel, organizationName, isOrganizationAdmin } = useRights();
  const run = useAccessChange();
  /** The level that is being stored. Shown at once: another press of an arrow key goes on from it. */
  const [chosen, setChosen] = useState<string | null>(null);
  const change = async (level: string) => {
    setChosen(level);
    await run(() => changeMember(organization, member.user.uuid, { level: Number(level) as Level }));
    setChosen(null);
  };
  const options = ([1, 8, 15] as const)
    .filter((level) => level <= organizationLevel)
    .map((level) => ({ value: String(level), label: PROJECT_LEVEL_NAMES[level] }));
  const reason = isSelf
    ? 'Nobody changes their own level.'
    : isOrganizationAdmin
      ? 'Only owners change an owner.'
      : `Administrators of ${organizationName} can change it.`;
  return (
    <section className="grid gap-1">
      <h3 className="text-12 font-medium text-text-2">Level in {organizationName}</h3>
      {mayEdit ? (
        <div>
          <Segmented
            label="Level in the organization"
            options={options}
            value={chosen ?? String(member.level)}
            onChange={(level) => void change(level)}
          />
        </div>
      ) : (
        <>
          <p className="text-13">{PROJECT_LEVEL_NAMES[member.level]}</p>
          <p className="text-12 text-text-3">{reason}</p>
        </>
      )}
    </section>
  );
}

/** While a project is closed, explicit members get in; while it is open, a rule for the person decides. */
function ProjectLevelChoice({ explained, isSelf }: { explained: ExplainedMember; isSelf: boolean }) {
  const { member, project, isClosed, explicit, projectRules } = explained;
  const id = useProjectId();
  const { isProjectAdmin } = useRights();
  const run = useAccessChange();
  const own = projectRules.find(({ organization_member }) => organization_member === member.id);
  const refusal =
    member.level >= 8
      ? 'Administrators of the organization are administrators of every project.'
      : isSelf
        ? 'Nobody changes their own level.'
        : isProjectAdmin
          ? null
          : 'Administrators of the project can change it.';
  const setClosed = async (level: string) => {
    // a rule would restrict the explicit membership further
    if (own) await putProjectRule(id, { organization_member: member.id }, null);
    await setExplicitLevel(id, member.user.uuid, explicit, level === 'none' ? null : level === 'admin' ? 8 : 1);
  };
  const setOpen = (level: string) => putProjectRule(id, { organization_member: member.id }, level === 'inherit' ? null : level);
  const levels = [
    { value: 'none', label: 'No access' },
    { value: 'member', label: 'Member' },
    { value: 'admin', label: 'Administrator' },
  ];
  const current = isClosed
    ? project.level === 0
      ? 'none'
      : project.level === 8
        ? 'admin'
        : 'member'
    : (own?.access_level ?? 'inherit');
  return (
    <section className="grid gap-1">
      <h3 className="text-12 font-medium text-text-2">Level in this project</h3>
      {refusal === null ? (
        <div>
          <Segmented
            label="Level in this project"
            options={isClosed ? levels : [{ value: 'inherit', label: 'As all' }, ...levels]}
            value={current}
            onChange={(level) => void run(() => (isClosed ? setClosed(level) : setOpen(level)))}
          />
        </div>
      ) : (
        <p className="text-13">{PROJECT_LEVEL_NAMES[project.level]}</p>
      )}
      <p className="text-12 text-text-3">{refusal ?? `${PROJECT_LEVEL_NAMES[project.level]}. Reason: ${project.reason}.`}</p>
    </section>
  );
}

function ObjectRow({ explained, resource, label }: { explained: ExplainedMember; resource: string; label: string }) {
  const { member, project, resourceRules, roles } = explained;
  const id = useProjectId();
  const { isProjectAdmin } = useRights();
  const run = useAccessChange();
  const { level, reason } = explainObjectLevel({ member, rules: resourceRules, roles }, resource, project.level);
  const own = resourceRules.find((rule) => rule.resource === resource && rule.organization_member === member.id);
  const mayEdit = isProjectAdmin && project.level === 1;
  return (
    <li className="flex min-h-12 items-center gap-3 py-2">
      <div className="min-w-0 flex-1">
        <p className="text-13 font-medium">{label}</p>
        <p className="text-12 text-text-3">{reason}</p>
      </div>
      {mayEdit ? (
        <div className="w-56 shrink-0 max-sm:w-44">
          <Select
            isSmall
            hideLabel
            label={`${label}: level of ${personName(member.user)}`}
            options={[
              { value: 'inherit', label: own ? 'As the rules say' : `${OBJECT_LEVEL_NAMES[level]}, inherited` },
              ...OBJECT_LEVELS.map((value) => ({ value, label: OBJECT_LEVEL_NAMES[value] })),
            ]}
            value={(own?.access_level ?? 'inherit') as ObjectLevel | 'inherit'}
            onChange={(next) =>
              void run(() => putResourceRule(id, resource, { organization_member: member.id }, next === 'inherit' ? null : next))
            }
          />
        </div>
      ) : (
        <Badge kind={level === 'none' ? 'bad' : 'neutral'}>{OBJECT_LEVEL_NAMES[level]}</Badge>
      )}
    </li>
  );
}

/** Takes a person out of the organization: at once and with undo, then for good. */
function MemberEnd({ explained: { member }, onClose }: { explained: ExplainedMember; onClose: () => void }) {
  const { organization, organizationName } = useRights();
  const run = useAccessChange();
  const queries = useQueryClient();
  const [isEnding, setEnding] = useState(false);
  const name = personName(member.user);
  const uuid = member.user.uuid;
  const set = (is_active: boolean) => run(() => changeMember(organization, uuid, { is_active }));
  if (member.is_active)
    return (
      <span className="mr-auto">
        <Button
          kind="danger"
          onPress={async () => {
            if (!(await set(false))) return;
            toast(`${name} is out of ${organizationName}, and their keys stopped.`, {
              label: 'Undo',
              onPress: () => void set(true),
            });
          }}
        >
          Take out
        </Button>
      </span>
    );
  return (
    <>
      <Button kind="danger" onPress={() => setEnding(true)}>
        Remove for good
      </Button>
      <Button kind="primary" onPress={() => void set(true)}>
        Let back in
      </Button>
      {isEnding && (
        <ConfirmByName
          title={`Remove ${name} for good?`}
          consequence={`Their roles, rules and keys in ${organizationName} are deleted. Only a new invite brings them back, without these.`}
          name={member.user.email}
          confirm="Remove person"
          confirming="Removing…"
          onClose={() => setEnding(false)}
          onConfirm={async () => {
            await removeMember(organization, uuid);
            onClose();
            await queries.invalidateQueries({ queryKey: ['organization', organization] });
          }}
        />
      )}
    </>
  );
}
