const VERBS: Record<string, string> = { POST: 'create', PATCH: 'partial_update', PUT: 'update', DELETE: 'destroy' };

/** The id of an operation, derived from its method and path, such as `dashboards_collaborators_list`. */
export function operationId(method: string, url: string, isList: boolean): string {
  const segments = url
    .replace(/^\/api\/environments\/:project_id\//, '/')
    .split('/')
    .filter(Boolean);
  const names = segments.filter((segment, index) => !segment.startsWith(':') && !(index === 0 && segment === 'api'));
  // an action on the object itself has no other name
  if (method === 'POST' && segments.at(-1)?.startsWith(':')) names.push(segments.at(-1)?.slice(1) ?? '');
  const verb = VERBS[method] ?? (isList && !segments.at(-1)?.startsWith(':') ? 'list' : 'retrieve');
  return [...names, verb].join('_').replaceAll(/\W+/g, '_').replace(/^_/, '');
}
