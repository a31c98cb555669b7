/** Ids that broken clients send for every user: merging with them would join many persons into one. */
const ANY_CASE = new Set([
  'anonymous',
  'guest',
  'distinctid',
  'distinct_id',
  'id',
  'not_authenticated',
  'email',
  'undefined',
  'true',
  'false',
]);
const EXACT = new Set(['[object Object]', 'NaN', 'None', 'none', 'null', '0', 'undefined']);

/** Whether an id must not take part in a merge; quotes around it are ignored. */
export function isIllegalForMerge(distinctId: string): boolean {
  const bare = /^(["']).*\1$/s.test(distinctId) && distinctId.length > 1 ? distinctId.slice(1, -1) : distinctId;
  return distinctId.trim() === '' || bare.trim() === '' || EXACT.has(bare) || ANY_CASE.has(bare.toLowerCase());
}
