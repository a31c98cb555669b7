import { useQuery } from '@tanstack/react-query';
import { membersQuery, resourceRulesQuery, rolesQuery } from '../data/members.js';
import { type Explained, explainObjectLevel, type ObjectLevel } from './access-levels.js';
import { useMe, useProject, useProjectId } from './project-context.js';

/** Says the level of the person who is logged in on all objects of a kind, with its reason; null: not known yet. */
export function useObjectLevels(): (resource: string) => Explained<ObjectLevel> | null {
  const me = useMe();
  const project = useProjectId();
  const { organization, effective_membership_level: level } = useProject();
  // administrators manage everything: nothing else matters
  const enabled = level < 8;
  const members = useQuery({ ...membersQuery(organization), enabled });
  const roles = useQuery({ ...rolesQuery(organization), enabled });
  const rules = useQuery({ ...resourceRulesQuery(project), enabled });
  if (level >= 8) return () => ({ level: 'manager', reason: 'Administrator of the project' });
  const member = members.data?.find(({ user }) => user.uuid === me.uuid);
  const [known, all] = [rules.data?.access_controls, roles.data];
  if (!member || !all || !known) return () => null;
  return (resource) => explainObjectLevel({ member, rules: known, roles: all }, resource, level);
}

/** The level of the person who is logged in on all objects of a kind, with its reason; null: not known yet. */
export const useObjectLevel = (resource: string): Explained<ObjectLevel> | null => useObjectLevels()(resource);

/** Whether the person may create objects of a kind. False while it is not known. */
export function useMayCreate(resource: string): boolean {
  const level = useObjectLevel(resource)?.level;
  return level === 'editor' || level === 'manager';
}
