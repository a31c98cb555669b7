import { z } from 'zod';
import { projectRoute } from '../../auth/index.js';
import { isoTime } from '../../http/dates.js';
import { envelope, type Page, pageOf, readPage } from '../../http/pagination.js';
import type { Db } from '../../ports/db.js';

/** An ingestion warning as responses show it. */
const warningSchema = z
  .object({
    id: z.int().describe('Number of the warning.'),
    type: z.string().describe('What went wrong.').meta({ example: 'event_too_large' }),
    details: z.record(z.string(), z.unknown()).describe('About the event; depends on the type.'),
    timestamp: z.iso.datetime().describe('When it happened.'),
  })
  .meta({ id: 'IngestionWarning', description: 'Something that ingestion had to refuse or mend.' });

const warningPage = pageOf(warningSchema);

export const warningRoutes = [
  projectRoute({
    method: 'GET',
    path: '/ingestion_warnings/',
    scope: 'project:read',
    summary: 'List what went wrong with events that the project was sent',
    status: 200,
    response: warningPage,
    handle: async ({ deps, request, project }) => {
      const page = readPage(request);
      const { rows, count } = await listWarnings(deps.db, project.id, page);
      const results = rows.map(({ id, type, details, created_at }) => ({ id, type, details, timestamp: isoTime(created_at) }));
      return envelope(request, page, count, results);
    },
  }),
];

/** Lists a page of ingestion warnings, newest first. */
async function listWarnings(db: Db, projectId: number, page: Page) {
  const found = db.selectFrom('ingestion_warnings').where('project_id', '=', projectId);
  const [rows, total] = await Promise.all([
    found.selectAll().orderBy('created_at', 'desc').orderBy('id', 'desc').limit(page.limit).offset(page.offset).execute(),
    found.select((eb) => eb.fn.countAll<number>().as('count')).executeTakeFirstOrThrow(),
  ]);
  return { rows, count: total.count };
}
