import type { FastifyInstance } from 'fastify';
import { ApiError } from '../../kernel/errors.js';
import { checkToken, Refusal } from '../decode/index.js';
import { closeMethods } from './cors.js';
import { type Door, queryText } from './door.js';

/** What SDKs ask for on demand, and what a project without any of it has to say. */
const LISTS = {
  '/api/surveys': { surveys: [], survey_config: null },
  '/api/early_access_features': { earlyAccessFeatures: [] },
  '/api/web_experiments': { experiments: [] },
  '/api/product_tours': { product_tours: [] },
};

/** The small lists of SDKs, by project key. */
export function registerLists(scope: FastifyInstance, door: Door): void {
  for (const [url, body] of Object.entries(LISTS)) {
    scope.get(url, async (request) => {
      await requireProject(door, queryText(request, 'token'));
      return body;
    });
    closeMethods(scope, url, ['GET', 'HEAD']);
  }
}

async function requireProject(door: Door, token: string | undefined): Promise<void> {
  if (!token) throw new ApiError('not_authenticated', 'No project key: send it as the query parameter "token".');
  try {
    await door.projectOf(checkToken(token));
  } catch (error) {
    throw error instanceof Refusal ? new ApiError('authentication_failed', error.message) : error;
  }
}
