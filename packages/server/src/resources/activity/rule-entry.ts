import type { RuleChange } from '../../access/index.js';
import { byCaller, type Caller } from './caller.js';
import type { ActivityEntry, Subject } from './entry.js';

/** What an access rule is about: an object of a project, or (`of` null) the project or all its objects of a kind. */
interface Ruled {
  of: Subject | null;
  name: string | null;
  short_id?: string;
}

/** The entry for an access rule that was made, changed or removed. */
export function ruleEntry(caller: Caller, { of, ...detail }: Ruled, { before, after }: RuleChange): ActivityEntry {
  const activity = before === null ? 'created' : after === null ? 'deleted' : 'updated';
  const action = activity === 'updated' ? 'changed' : activity;
  return {
    ...byCaller(caller),
    activity,
    scope: 'AccessControl',
    itemId: of?.id ?? caller.project.id,
    of,
    detail: { ...detail, changes: [{ type: 'AccessControl', action, field: 'rule', before, after }] },
  };
}
