import { requireResourceLevel } from '../../access/index.js';
import { type ProjectContext, projectRoute } from '../../auth/index.js';
import { uuid } from '../../http/fields.js';
import { envelope, readPage } from '../../http/pagination.js';
import { putPersons } from '../../ingestion/index.js';
import { ApiError } from '../../kernel/errors.js';
import { disconnectSignal } from '../results/index.js';
import { personPage, personParams, personQuery, personSchema, putPersonsResponse, putPersonsSchema } from './schema.js';
import { displayNameProperties, findPersonById, findPersonByUuid, listPersons, type PersonRecord } from './store.js';
import { nameProperties, personView } from './view.js';

/** Routes under `/api/projects/:project_id` and `/api/environments/:project_id`. */
export const personRoutes = [
  projectRoute({
    method: 'GET',
    path: '/persons/',
    scope: 'person:read',
    summary: 'List persons, newest first',
    query: personQuery,
    status: 200,
    response: personPage,
    load: requireResourceLevel('person', 'viewer'),
    handle: async ({ deps, request, reply, project, query }) => {
      const page = readPage(request);
      const [rows, names] = await Promise.all([
        listPersons(deps, project.id, query, page, disconnectSignal(reply.raw)),
        displayNameProperties(deps.db, project.id),
      ]);
      const shown = rows.slice(0, page.limit).map((row) => personView(row, nameProperties(names)));
      // a count would cost more than the page: the links only need to know whether there is another one
      const { next, previous, results } = envelope(request, page, page.offset + rows.length, shown);
      return { next, previous, results };
    },
  }),
  projectRoute({
    method: 'POST',
    path: '/persons/',
    scope: 'person:write',
    summary: 'Create or update persons, with all their distinct ids, without an event',
    description:
      'For persons of another system: import them before their events. Sending the same persons again changes nothing.',
    body: putPersonsSchema,
    status: 200,
    response: putPersonsResponse,
    load: requireResourceLevel('person', 'editor'),
    handle: async ({ deps, project, body }) => {
      const persons = body.persons.map((person) => ({
        distinctIds: person.distinct_ids,
        properties: person.properties ?? {},
        isIdentified: person.is_identified ?? false,
        createdAt: person.created_at?.getTime() ?? deps.clock.now(),
      }));
      const put = await putPersons(deps, project.id, persons);
      return { results: put.map(({ uuid, refusedIds }) => ({ uuid, refused_ids: refusedIds })) };
    },
  }),
  projectRoute({
    method: 'GET',
    path: '/persons/:id/',
    params: personParams,
    scope: 'person:read',
    summary: 'Retrieve a person by number or uuid',
    status: 200,
    response: personSchema,
    load: loadPersonFor('viewer'),
    handle: async ({ deps, project, loaded }) =>
      personView(loaded, nameProperties(await displayNameProperties(deps.db, project.id))),
  }),
];

type PersonContext = ProjectContext & { params: Record<string, string> };

/** Makes the loader of the person of `params.id`, for callers with this level on persons. @throws ApiError not_found, permission_denied */
export function loadPersonFor(level: 'viewer' | 'editor') {
  return async (context: PersonContext): Promise<PersonRecord> => {
    const person = await loadPerson(context);
    await requireResourceLevel('person', level)(context);
    return person;
  };
}

async function loadPerson({ deps, project, params }: PersonContext): Promise<PersonRecord> {
  const id = params['id'] ?? '';
  const asUuid = uuid().safeParse(id);
  const number = /^\d{1,15}$/.test(id) ? Number(id) : null;
  let person: PersonRecord | undefined;
  if (number !== null) person = await findPersonById(deps.db, project.id, number);
  else if (asUuid.success) person = await findPersonByUuid(deps.db, project.id, asUuid.data);
  if (!person) throw new ApiError('not_found');
  return person;
}
