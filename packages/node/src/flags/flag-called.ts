import type { Properties } from '@tidemark/client';
import { calledKey, calledProperties } from '@tidemark/client';
import type { FlagRead } from './flag-methods.js';

/** Equal for reads that are one and the same use of a flag. */
export const useOf = ({ key, subject, flag }: FlagRead): string =>
  calledKey(key, flag?.value, subject.distinctId, { ...subject.groups });

/** Properties of `$feature_flag_called`. */
export function propertiesOfCall({ key, flag, evaluation }: FlagRead): Properties {
  const { requestId, evaluatedAt, error } = evaluation;
  const properties = calledProperties(key, flag, flag?.local ? {} : { requestId, evaluatedAt });
  const errors = [...(error ? [error] : []), ...(flag ? [] : ['flag_missing'])];
  if (errors.length) properties['$feature_flag_error'] = errors.join(',');
  properties['locally_evaluated'] = flag?.local ?? false;
  return properties;
}

/** Whether the project wants the short form of it: never of flags with an experiment, or of which that is not known. */
export const isShort = ({ flag, evaluation }: FlagRead): boolean => evaluation.minimal && flag?.hasExperiment === false;
