import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import {
  type CaptureProject,
  closeMethods,
  FLAGS_PAYLOAD_CAP,
  FLAGS_WIRE_CAP,
  type FlagsQuestion,
  queryText,
  rawRequest,
  readBytes,
  readFlagsRequest,
} from '../../ingest/index.js';
import { type AnswerHead, type Evaluated, mergedBodies, oldDecideBody, v1Body, v2Body } from '../bodies.js';
import { definitionsOf } from '../definitions.js';
import type { Definitions } from '../make-definitions.js';
import { remoteConfig } from '../remote-config.js';
import { runtimeOf } from '../runtime.js';
import type { FlagsDoor } from './door.js';

type Body = (evaluated: readonly Evaluated[], head: AnswerHead) => string;

/** Which flags somebody has: today's address, and that of SDKs of former years. */
export function mountFlags(scope: FastifyInstance, door: FlagsDoor): void {
  scope.post('/flags', (request, reply) => {
    const [v, config] = [queryText(request, 'v'), queryText(request, 'config')];
    const bare = v === undefined && config === undefined;
    const body = (bare ? 2 : versionOf(v)) >= 2 ? v2Body : v1Body;
    return answer(door, request, reply, body, bare || config === 'true' || config === '1');
  });
  scope.get('/flags', async () => ({
    supportedCompression: ['gzip', 'gzip-js'],
    sessionRecording: false,
    flags: {},
    errorsWhileComputingFlags: false,
  }));
  closeMethods(scope, '/flags', ['GET', 'HEAD', 'POST'], 204);

  scope.post('/decide', (request, reply) => answer(door, request, reply, decideBody(versionOf(queryText(request, 'v'))), true));
  closeMethods(scope, '/decide', ['POST'], 204);
}

/** What is not a number counts as the first version. */
function versionOf(text: string | undefined): number {
  const version = Number(text ?? '1');
  return Number.isInteger(version) ? version : 1;
}

function decideBody(version: number): Body {
  if (version >= 4) return v2Body;
  return version === 3 ? v1Body : (evaluated) => oldDecideBody(evaluated, version);
}

interface Asked {
  question: FlagsQuestion;
  project: CaptureProject;
}

async function answer(
  door: FlagsDoor,
  request: FastifyRequest,
  reply: FastifyReply,
  body: Body,
  withConfig: boolean,
): Promise<FastifyReply> {
  const { ids, clock } = door.deps;
  const { question, project } = await door.memory(async (hold): Promise<Asked> => {
    const bytes = await readBytes(request, FLAGS_WIRE_CAP, hold);
    const asked = await readFlagsRequest(rawRequest(request, bytes, false, FLAGS_PAYLOAD_CAP), hold);
    return { question: asked, project: await door.projectOf(asked.token) };
  });
  const definitions = await definitionsOf(door.deps, project.id);
  const evaluated = await evaluate(door, definitions, question, request);
  const flags = body(evaluated, { requestId: ids.uuid(), evaluatedAt: clock.now() });
  const config = withConfig ? JSON.stringify(remoteConfig(project.apiToken, definitions)) : null;
  return reply.type('application/json; charset=utf-8').send(config === null ? flags : mergedBodies(flags, config));
}

async function evaluate(
  door: FlagsDoor,
  definitions: Definitions,
  question: FlagsQuestion,
  request: FastifyRequest,
): Promise<readonly Evaluated[]> {
  const { distinctId } = question;
  // the client wants none, or asks for those of surveys alone, which there are not
  if (distinctId === null || queryText(request, 'only_evaluate_survey_feature_flags') === 'true') return [];
  return door.evaluator.evaluate(definitions, {
    ...question,
    distinctId,
    runtime: question.runtime ?? runtimeOf(request.headers),
    place: question.geoipDisabled ? null : door.locate(request.ip),
  });
}
