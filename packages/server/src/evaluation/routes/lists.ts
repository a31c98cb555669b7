import type { SurveysResponse } from '@tidemark/wire';
import type { FastifyInstance } from 'fastify';
import type { ProjectByKey } from '../../auth/index.js';
import { checkToken, closeMethods, queryText, SdkError } from '../../http/sdk/index.js';
import { ApiError } from '../../kernel/errors.js';
import type { EarlyAccessRow } from '../store.js';
import { runningSurveys } from '../surveys.js';
import type { FlagsContext } from './context.js';

/** Endpoints of features that this service lacks, with their empty responses. */
const EMPTY = {
  '/api/web_experiments': { experiments: [] },
  '/api/product_tours': { product_tours: [] },
};
const EARLY_ACCESS = '/api/early_access_features';
const SURVEYS = '/api/surveys';

/** Stages that users may see and join; the others are drafts, generally available, or archived. */
const PUBLIC_STAGES: ReadonlySet<string> = new Set(['concept', 'alpha', 'beta']);
/** Default of clients that name no stage: concepts are no features yet. */
const DEFAULT_STAGES: readonly string[] = ['beta'];

/** Public lists for SDKs, by project key: surveys, early access features. */
export function mountLists(scope: FastifyInstance, flagsContext: FlagsContext): void {
  for (const [url, body] of Object.entries(EMPTY)) {
    scope.get(url, async (request) => {
      await requireProject(flagsContext, queryText(request, 'token'));
      return body;
    });
    closeMethods(scope, url, ['GET', 'HEAD']);
  }
  scope.get(SURVEYS, async (request): Promise<SurveysResponse> => {
    const project = await requireProject(flagsContext, queryText(request, 'token'));
    const surveys = runningSurveys(
      await flagsContext.deps.services.flagDefinitions.get(project.id),
      flagsContext.deps.clock.now(),
    );
    return { surveys, survey_config: null };
  });
  closeMethods(scope, SURVEYS, ['GET', 'HEAD']);
  scope.get(EARLY_ACCESS, async (request) => {
    const project = await requireProject(flagsContext, queryText(request, 'token'));
    const { earlyAccess } = await flagsContext.deps.services.flagDefinitions.get(project.id);
    const { stage } = request.query as { stage?: string | string[] };
    const wanted = stage === undefined ? DEFAULT_STAGES : [stage].flat();
    return {
      earlyAccessFeatures: earlyAccess.filter((f) => PUBLIC_STAGES.has(f.stage) && wanted.includes(f.stage)).map(earlyAccessView),
    };
  });
  closeMethods(scope, EARLY_ACCESS, ['GET', 'HEAD']);
}

const earlyAccessView = ({ id, name, description, stage, documentation_url, payload, flag_key }: EarlyAccessRow) => ({
  id,
  name,
  description,
  stage,
  documentationUrl: documentation_url,
  payload,
  flagKey: flag_key,
});

async function requireProject(flagsContext: FlagsContext, token: string | undefined): Promise<ProjectByKey> {
  if (!token) throw new ApiError('not_authenticated', 'No project key: send it as the query parameter "token".');
  try {
    return await flagsContext.projectOf(checkToken(token));
  } catch (error) {
    throw error instanceof SdkError ? new ApiError('authentication_failed', error.message) : error;
  }
}
