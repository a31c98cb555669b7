import { useObjectLevel } from '../../app/object-level.js';
import { useMe, useProject } from '../../app/project-context.js';

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
  const own = useObjectLevel('project_settings');
  if (!own || own.level === 'editor' || own.level === 'manager') return null;
  return `You can ${own.level === 'viewer' ? 'see these settings and not change them' : 'not change these settings'}. Reason: ${own.reason}. An administrator of the project can change that.`;
}
