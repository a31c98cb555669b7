/** The SQLSTATE of a PostgreSQL error, such as `23505`, or the code of a connection's, such as `ETIMEDOUT`; '' for other errors. */
export const sqlState = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

/** Whether the database refused a write because a unique value is taken. */
export const isUniqueViolation = (error: unknown): boolean => sqlState(error) === '23505';

/** Whether the database refused a write because the row that it refers to is gone. */
export const isForeignKeyViolation = (error: unknown): boolean => sqlState(error) === '23503';

/** Whether PostgreSQL cancelled one of several writers that waited for each other. */
export const isDeadlock = (error: unknown): boolean => sqlState(error) === '40P01';

/** The pattern of `ilike` that finds a text anywhere in a value. Wildcards in the text match themselves. */
export const likePattern = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`;
