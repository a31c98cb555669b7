import { evaluateFlags } from '@tidemark/flags';
import type { Deps } from '../deps.js';
import type { Evaluated } from './bodies.js';
import { createContinuity } from './continuity.js';
import { dependentsOf } from './dependents.js';
import type { FlagCalls } from './flag-calls.js';
import type { Definitions } from './make-definitions.js';
import { selectFlags, type Wanted } from './selection.js';
import { createStoredSubjects } from './stored-subjects.js';
import { findSubject, type Told } from './subject.js';
import { environmentOf } from './subject-of.js';

/** Which flags somebody has. */
export interface Evaluation {
  evaluated: readonly Evaluated[];
  /** Flags, by id, that the question named. */
  asked: readonly number[];
  /** Whether the same question has the same answer for some seconds. */
  lasts: boolean;
}

/** Answers which flags somebody has. */
export interface Evaluator {
  evaluate(definitions: Definitions, question: Wanted & Told): Promise<Evaluation>;
  /** Notes that a program asked for these flags, by id. */
  asked(ids: readonly number[]): void;
  close(): Promise<void>;
}

export function createEvaluator(deps: Deps, calls: Pick<FlagCalls, 'asked'>): Evaluator {
  const stored = createStoredSubjects(deps, deps.services.caches);
  const continuity = createContinuity(deps, stored.forget);

  return {
    async evaluate(definitions, question) {
      const { projectId, prepared } = definitions;
      const { distinctId, anonDistinctId } = question;
      const selection = selectFlags(definitions, question);
      if (selection.uses.continuity && anonDistinctId !== null) {
        const keys = definitions.flags.filter((flag) => flag.active && flag.ensure_experience_continuity).map(({ key }) => key);
        continuity.keep(projectId, distinctId, anonDistinctId, keys);
      }
      const former = selection.uses.continuity ? continuity.waiting(projectId, distinctId) : undefined;
      const { subject, hashKeysUnknown, lasts } = await findSubject(stored, definitions, selection, question, former);
      const results = evaluateFlags(prepared, subject, environmentOf(deps, definitions), selection.only);
      const doubtful = hashKeysUnknown ? dependentsOf(definitions.flags, (flag) => flag.ensure_experience_continuity) : null;
      const evaluated = selection.flags.map((flag) => {
        const result = results.get(flag.key) ?? null;
        const isUnknown = subject.incomplete === true && (result?.inconclusive === true || doubtful?.has(flag.key) === true);
        return { flag, result: isUnknown ? null : result };
      });
      return { evaluated, asked: question.flagKeys ? selection.flags.map(({ id }) => id) : [], lasts };
    },
    asked: (ids) => calls.asked(ids),
    close: () => continuity.close(),
  };
}
