import type { AccessContext } from './access.js';
import type { AccessResource } from './levels.js';
import type { Rule } from './rules.js';
import { type ResourceRule, rulesFor } from './store.js';

/** What a request is about to ask of the rules. */
interface Turn {
  membershipId: string;
  resources: Set<AccessResource>;
  rules: Promise<ResourceRule[]>;
}

/** By the project as one request opened it. */
const turns = new WeakMap<AccessContext['project'], Turn>();

/** The rules about a kind of object. What one request asks for in the same turn of the event loop is one statement. */
export async function rulesInTurn({ deps, project, membership }: AccessContext, resource: AccessResource): Promise<Rule[]> {
  let turn = turns.get(project);
  // rules are a member's own: even if requests shared the object, they must not share these
  if (turn?.membershipId !== membership.id) {
    const resources = new Set<AccessResource>();
    const rules = Promise.resolve().then(() => {
      turns.delete(project);
      return rulesFor(deps.db, project.id, [...resources], membership.id);
    });
    turn = { membershipId: membership.id, resources, rules };
    turns.set(project, turn);
  }
  turn.resources.add(resource);
  return (await turn.rules).filter((rule) => rule.resource === resource);
}
