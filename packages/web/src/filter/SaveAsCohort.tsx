import { Link } from '@tanstack/react-router';
import { UsersRound } from 'lucide-react';
import { useMayCreate } from '../app/object-level.js';
import { useProjectId } from '../app/project-context.js';
import { filterToText, takesOf } from '../query/filter-text.js';
import type { Filter } from '../query/question.js';
import { buttonClass } from '../ui/Button.js';
import { classNames } from '../ui/class-names.js';

/** Begins a cohort with those filters that are about people. Nothing where there are none, or the person may not create one. */
export function SaveAsCohort({ filters }: { filters: readonly Filter[] }) {
  const project = useProjectId();
  const mayCreate = useMayCreate('cohort');
  const ofPeople = filters.filter(isOfPeople);
  if (!mayCreate || ofPeople.length === 0) return null;
  return (
    <Link
      to={`/p/${project}/cohorts/new` as string}
      search={{ f: ofPeople.map(filterToText) } as never}
      className={classNames(buttonClass('quiet', true), 'justify-self-start')}
    >
      <UsersRound size={14} aria-hidden />
      {ofPeople.length === filters.length ? 'Save as cohort' : 'Save people as cohort'}
    </Link>
  );
}

/** Whether a cohort can have this filter: it is about people, and its value is there. */
const isOfPeople = ({ type, operator, value }: Filter): boolean =>
  type === 'cohort' ||
  (type === 'person' &&
    (takesOf(operator) === 'nothing' || (Array.isArray(value) ? value.length > 0 : value != null && value !== '')));
