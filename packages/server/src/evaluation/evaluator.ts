import { evaluateFlags } from '@tidemark/flags';
import type { Deps } from '../deps.js';
import { createContinuity } from './continuity.js';
import type { Definitions } from './definitions.js';
import { dependentsOf } from './flag-dependencies.js';
import type { Evaluated } from './response-bodies.js';
import { type FlagFilter, selectFlags } from './selection.js';
import { createStoredSubjects } from './stored-subjects.js';
import { environmentOf, findSubject, type SubjectOverrides } from './subject.js';

/** Results of the requested flags for one subject. */
export interface Evaluation {
  evaluated: readonly Evaluated[];
  /** Ids of the flags that the request named. */
  requestedFlags: readonly number[];
  /** Whether an equal request may get the same response for some seconds. */
  isCacheable: boolean;
}

/** Evaluates flags for subjects. */
export interface Evaluator {
  evaluate(definitions: Definitions, request: FlagFilter & SubjectOverrides): Promise<Evaluation>;
  close(): Promise<void>;
}

export function createEvaluator(deps: Deps): Evaluator {
  const stored = createStoredSubjects(deps, deps.services.caches);
  const continuity = createContinuity(deps, stored.invalidatePerson);

  return {
    async evaluate(definitions, request) {
      const { projectId, prepared } = definitions;
      const { distinctId, anonDistinctId } = request;
      const selection = selectFlags(definitions, request);
      if (selection.uses.continuity && anonDistinctId !== null) {
        const keys = definitions.flags.filter((flag) => flag.active && flag.ensure_experience_continuity).map(({ key }) => key);
        continuity.keep(projectId, distinctId, anonDistinctId, keys);
      }
      const former = selection.uses.continuity ? continuity.waiting(projectId, distinctId) : undefined;
      const { subject, hashKeysUnknown, isCacheable } = await findSubject(stored, definitions, selection, request, former);
      const results = evaluateFlags(prepared, subject, environmentOf(deps, definitions), selection.only);
      const unknownContinuity = hashKeysUnknown
        ? dependentsOf(definitions.flags, (flag) => flag.ensure_experience_continuity)
        : null;
      const evaluated = selection.flags.map((flag) => {
        const result = results.get(flag.key) ?? null;
        const isUnknown =
          subject.incomplete === true && (result?.inconclusive === true || unknownContinuity?.has(flag.key) === true);
        return { flag, result: isUnknown ? null : result };
      });
      return { evaluated, requestedFlags: request.flagKeys ? selection.flags.map(({ id }) => id) : [], isCacheable };
    },
    close: () => continuity.close(),
  };
}
