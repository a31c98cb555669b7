/** What a server does. By default it does everything. */
export const ROLES = ['capture', 'flags', 'api', 'jobs'] as const;

export type Role = (typeof ROLES)[number];

/** Whether a server with these roles uses the event store: flags are answered from PostgreSQL and memory alone. */
export const needsEvents = ({ roles }: { roles: readonly Role[] }): boolean => roles.some((role) => role !== 'flags');

/** A request for a role that this server does not have. Another server behind the same load balancer may have it. */
export class RoleOff extends Error {
  override name = 'RoleOff';
  constructor(role: Role) {
    super(`This server does not have the role ${role} (TIDEMARK_ROLES): send the request to a server that has it.`);
  }
}
