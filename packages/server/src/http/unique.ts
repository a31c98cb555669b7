/** Whether the database refused a write because a unique value is taken (SQLSTATE 23505). */
export const isUniqueViolation = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === '23505';
