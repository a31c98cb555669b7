import type { Member } from '../../data/members.js';

type User = Pick<Member['user'], 'first_name' | 'last_name' | 'email'>;

/** The name of a person, or their e-mail address. */
export const personName = ({ first_name, last_name, email }: User): string => `${first_name} ${last_name}`.trim() || email;

/** A circle with the first letters of a name. */
export const Initials = ({ user }: { user: User }) => (
  <b
    aria-hidden
    className="grid size-6 shrink-0 place-items-center rounded-full border border-border bg-sunken text-11 font-medium text-text-2"
  >
    {personName(user)
      .split(/\s+/)
      .slice(0, 2)
      .map((word) => word[0]?.toUpperCase())
      .join('')}
  </b>
);
