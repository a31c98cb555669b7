import { useQuery } from '@tanstack/react-query';
import { type Explained, explainProjectLevel, type ProjectLevel } from '../../app/access-levels.js';
import { useProject, useProjectId } from '../../app/project-context.js';
import {
  type AccessRule,
  type ExplicitMember,
  explicitMembersQuery,
  type Member,
  membersQuery,
  projectRulesQuery,
  type Role,
  resourceRulesQuery,
  rolesQuery,
} from '../../data/members.js';
import { projectQuery } from '../../data/project.js';

/** A member of the organization with their level in the project, and what decides about it. */
export interface ExplainedMember {
  member: Member;
  project: Explained<ProjectLevel>;
  isClosed: boolean;
  explicit: ExplicitMember | null;
  /** Rules about the project itself. */
  projectRules: readonly AccessRule[];
  /** Rules about all objects of a kind. */
  resourceRules: readonly AccessRule[];
  roles: readonly Role[];
}

/** All members of the organization with their level in the project. `data` is there when all that decides has been loaded. */
export function useMembers() {
  const id = useProjectId();
  const loaded = useProject();
  const { organization, access_control: isClosed } = useQuery(projectQuery(id)).data ?? loaded;
  const members = useQuery(membersQuery(organization));
  const explicit = useQuery(explicitMembersQuery(id));
  const rules = useQuery(projectRulesQuery(id));
  const resourceRules = useQuery(resourceRulesQuery(id));
  const roles = useQuery(rolesQuery(organization));
  const queries = [members, explicit, rules, resourceRules, roles];
  const error = queries.find((query) => query.error && !query.data)?.error ?? null;
  const refetch = () => queries.forEach((query) => void query.refetch());
  if (!members.data || !explicit.data || !rules.data || !resourceRules.data || !roles.data)
    return { data: undefined, error, refetch };
  const explicitOf = new Map(explicit.data.map((one) => [one.user_uuid, one]));
  const common = {
    isClosed,
    projectRules: rules.data.access_controls,
    resourceRules: resourceRules.data.access_controls,
    roles: roles.data,
  };
  const data = members.data.map((member): ExplainedMember => {
    const own = { member, explicit: explicitOf.get(member.user.uuid) ?? null, ...common };
    return { ...own, project: explainProjectLevel({ ...own, rules: common.projectRules }) };
  });
  return { data, error, refetch };
}
