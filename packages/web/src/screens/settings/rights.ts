import { useQuery } from '@tanstack/react-query';
import { useMe, useProject, useProjectId } from '../../app/project-context.js';
import { membersQuery, resourceRulesQuery, rolesQuery } from '../../data/members.js';
import { explainObjectLevel } from './access-levels.js';

/** What the person who is logged in may do in the project and its organization. */
export function useRights() {
  const me = useMe();
  const { organization, effective_membership_level: projectLevel } = useProject();
  const own = me.organizations.find(({ id }) => id === organization);
  const organizationLevel = own?.membership_level ?? 1;
  return {
    organization,
    organizationName: own?.name ?? '',
    organizationLevel,
    projectLevel,
    isProjectAdmin: projectLevel >= 8,
    isOrganizationAdmin: organizationLevel >= 8,
    isOwner: organizationLevel === 15,
  };
}

/** Why the person may not change the settings of the project; null: they may, or it is not known yet. */
export function useSettingsRefusal(): string | null {
  const me = useMe();
  const project = useProjectId();
  const { organization, isProjectAdmin, projectLevel } = useRights();
  const enabled = !isProjectAdmin;
  const members = useQuery({ ...membersQuery(organization), enabled });
  const roles = useQuery({ ...rolesQuery(organization), enabled });
  const rules = useQuery({ ...resourceRulesQuery(project), enabled });
  const member = members.data?.find(({ user }) => user.uuid === me.uuid);
  if (isProjectAdmin || !member || !roles.data || !rules.data) return null;
  const grants = { member, rules: rules.data.access_controls, roles: roles.data };
  const { level, reason } = explainObjectLevel(grants, 'project_settings', projectLevel);
  if (level === 'editor' || level === 'manager') return null;
  return `You can ${level === 'viewer' ? 'see these settings and not change them' : 'not change these settings'}. Reason: ${reason}. An administrator of the project can change that.`;
}
