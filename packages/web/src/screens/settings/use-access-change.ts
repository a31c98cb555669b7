import { useQueryClient } from '@tanstack/react-query';
import { useProjectId } from '../../app/project-context.js';
import { explicitMembersQuery, membersQuery, projectRulesQuery, resourceRulesQuery, rolesQuery } from '../../data/members.js';
import { sentenceOf } from '../../ui/sentence-of.js';
import { toast } from '../../ui/toast.js';
import { useRights } from './rights.js';

/** Runs a change of levels, roles or rules, and reads all of them again. A refusal is shown in a toast. Resolves with whether it worked. */
export function useAccessChange() {
  const queries = useQueryClient();
  const project = useProjectId();
  const { organization } = useRights();
  return async (change: () => Promise<unknown>): Promise<boolean> => {
    let worked = true;
    try {
      await change();
    } catch (error) {
      worked = false;
      toast(`Not changed: ${sentenceOf(error)}`);
    }
    const keys = [
      membersQuery(organization).queryKey,
      rolesQuery(organization).queryKey,
      explicitMembersQuery(project).queryKey,
      projectRulesQuery(project).queryKey,
      resourceRulesQuery(project).queryKey,
    ];
    await Promise.all(keys.map((queryKey) => queries.invalidateQueries({ queryKey })));
    return worked;
  };
}
