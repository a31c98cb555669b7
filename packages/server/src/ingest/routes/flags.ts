import type { DecideResponse, FlagsV1Response, FlagsV2Response, WithConfig } from '@tidemark/wire';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { FLAGS_PAYLOAD_CAP, FLAGS_WIRE_CAP, readFlagsRequest } from '../decode/index.js';
import { closeMethods } from './cors.js';
import { type Door, queryText } from './door.js';
import { readBytes } from './read-bytes.js';
import { remoteConfig } from './remote-config.js';
import { rawRequest } from './v0.js';

type Answer = FlagsV2Response | FlagsV1Response | DecideResponse;

/** The flag endpoints. Projects have no flags in this version, so every well-formed question is answered with none. */
export function registerFlags(scope: FastifyInstance, door: Door): void {
  scope.post('/flags', async (request) => {
    const [v, config] = [queryText(request, 'v'), queryText(request, 'config')];
    const bare = v === undefined && config === undefined;
    const version = bare ? 2 : versionOf(v);
    const answer = version >= 2 ? v2(door) : v1(door);
    return answerFor(door, request, answer, bare || config === 'true' || config === '1');
  });
  scope.get('/flags', async () => ({
    supportedCompression: ['gzip', 'gzip-js'],
    sessionRecording: false,
    flags: {},
    errorsWhileComputingFlags: false,
  }));
  closeMethods(scope, '/flags', ['GET', 'HEAD', 'POST'], 204);

  scope.post('/decide', (request) => answerFor(door, request, decide(door, versionOf(queryText(request, 'v'))), true));
  closeMethods(scope, '/decide', ['POST'], 204);
}

async function answerFor(
  door: Door,
  request: FastifyRequest,
  answer: Answer,
  withConfig: boolean,
): Promise<Answer | WithConfig<Answer>> {
  const project = await door.memory(async (hold) => {
    const body = await readBytes(request, FLAGS_WIRE_CAP, hold);
    const { token } = await readFlagsRequest(rawRequest(request, body, false, FLAGS_PAYLOAD_CAP), hold);
    return door.projectOf(token);
  });
  return withConfig ? { ...answer, ...(await remoteConfig(door, project)) } : answer;
}

/** What is not a number counts as the first version. */
function versionOf(text: string | undefined): number {
  const version = Number(text ?? '1');
  return Number.isInteger(version) ? version : 1;
}

function decide(door: Door, version: number): Answer {
  if (version >= 4) return v2(door);
  if (version === 3) return v1(door);
  return { featureFlags: version === 2 ? {} : [], errorsWhileComputingFlags: false };
}

const v2 = (door: Door): FlagsV2Response => ({
  flags: {},
  errorsWhileComputingFlags: false,
  requestId: door.deps.ids.uuid(),
  evaluatedAt: door.deps.clock.now(),
});

const v1 = (door: Door): FlagsV1Response => ({
  featureFlags: {},
  featureFlagPayloads: {},
  errorsWhileComputingFlags: false,
  requestId: door.deps.ids.uuid(),
});
