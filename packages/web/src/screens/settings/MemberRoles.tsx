import { giveRole, type Member, type Role, takeRole } from '../../data/members.js';
import { Badge } from '../../ui/Badge.js';
import { Checkbox } from '../../ui/Checkbox.js';
import { useRights } from './rights.js';
import { useAccessChange } from './use-access-change.js';

/** The roles of a member; administrators give and take them. */
export function MemberRoles({ member, roles }: { member: Member; roles: readonly Role[] }) {
  const { organization, isOrganizationAdmin } = useRights();
  const run = useAccessChange();
  if (roles.length === 0) return null;
  const membershipOf = (role: Role) => role.members.find(({ organization_member }) => organization_member === member.id);
  const own = roles.filter((role) => membershipOf(role));
  return (
    <section className="grid gap-1.5">
      <h3 className="text-12 font-medium text-text-2">Roles</h3>
      {isOrganizationAdmin && member.is_active ? (
        <ul className="grid gap-1.5">
          {roles.map((role) => {
            const membership = membershipOf(role);
            return (
              <li key={role.id}>
                <Checkbox
                  isSelected={membership !== undefined}
                  onChange={() =>
                    void run(() =>
                      membership
                        ? takeRole(organization, role.id, membership.id)
                        : giveRole(organization, role.id, member.user.uuid),
                    )
                  }
                >
                  {role.name}
                </Checkbox>
              </li>
            );
          })}
        </ul>
      ) : own.length > 0 ? (
        <p className="flex flex-wrap gap-1">
          {own.map(({ id, name }) => (
            <Badge key={id}>{name}</Badge>
          ))}
        </p>
      ) : (
        <p className="text-13 text-text-2">None</p>
      )}
    </section>
  );
}
