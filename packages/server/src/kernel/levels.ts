/** Levels of an organization membership. Explicit project memberships use the first two. */
export const MEMBER = 1;
export const ADMIN = 8;
export const OWNER = 15;

export type MembershipLevel = typeof MEMBER | typeof ADMIN | typeof OWNER;
