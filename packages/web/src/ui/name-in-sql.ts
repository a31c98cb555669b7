/** A name as SQL takes it: in quotes where it needs them. */
export const nameInSql = (name: string): string =>
  /^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(name) ? name : `\`${name.replaceAll('\\', '\\\\').replaceAll('`', '``')}\``;
