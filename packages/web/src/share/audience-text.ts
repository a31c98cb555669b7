import type { Audience } from '../data/sharing.js';

type Reach = Audience['now'];

const LINKS: Record<Reach['link'], string | null> = {
  off: null,
  password: 'anybody who has the link and a password',
  anyone: 'anybody who has the link',
};

/** Who sees it in words, such as "4 of the 6 people of the organization, and anybody who has the link". */
export function whoSees({ visible_to: count, link }: Reach, all: number): string {
  const people =
    count === all
      ? all === 1
        ? 'the one person of the organization'
        : `all ${all} people of the organization`
      : `${count} of the ${all} people of the organization`;
  const others = LINKS[link];
  return others ? `${people}, and ${others}` : people;
}

/** Who sees the public page in words, without the people of the organization. */
export const whoSeesByLink = ({ link }: Reach): string => LINKS[link] ?? 'nobody else';

/** Who edits it in words, such as "2 people". */
export const whoEdits = ({ editable_by: count }: Reach): string => (count === 1 ? '1 person' : `${count} people`);

type Reason = Audience['members'][number]['reasons'][number];

const REASONS: Record<Reason, string> = {
  organization_admin: 'administrator of the organization',
  creator: 'made it',
  member_rule: 'by an access rule for them',
  role_rule: 'by their role',
  everybody_rule: 'by the access rule for everybody',
  default_level: 'everybody in the project sees it',
  explicit_member: 'member of this private project',
  collaborator: 'collaborator',
};

/** Why a member sees it. */
export const reasonText = ({ reasons, roles }: Audience['members'][number]): string =>
  reasons
    .map((reason) => (reason === 'role_rule' && roles.length > 0 ? `by the role ${roles.join(', ')}` : REASONS[reason]))
    .join(', ');
