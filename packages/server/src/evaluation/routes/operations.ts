import { z } from 'zod';
import type { Operation } from '../../http/openapi/index.js';
import { errorResponses } from '../../http/sdk/index.js';

const properties = z.record(z.string(), z.unknown());

const flagsRequest = z
  .object({
    token: z.string().describe('Project API key.'),
    distinct_id: z.string().describe('For whom.'),
    groups: z.record(z.string(), z.string()).optional().describe('The groups of the person: type to key.'),
    person_properties: properties.optional().describe('Properties that count before the stored ones.'),
    group_properties: z.record(z.string(), properties).optional().describe('The same for groups, by type.'),
    flag_keys_to_evaluate: z.array(z.string()).optional().describe('Only these flags.'),
    evaluation_contexts: z
      .array(z.string())
      .optional()
      .describe('Only flags of one of these contexts, and those that have none.'),
    $anon_distinct_id: z
      .string()
      .optional()
      .describe('Under which the person was known until now; flags with experience continuity keep their values.'),
    $device_id: z.string().optional().describe('Of the device, for flags that are rolled out by device.'),
    disable_flags: z.boolean().optional().describe('Whether to evaluate none; then `distinct_id` may be left out.'),
    geoip_disable: z.boolean().optional().describe('Whether the address of the request is not the person’s own.'),
  })
  .meta({
    id: 'FlagsRequest',
    description: 'Whose flags are asked for.',
    example: { token: '<PROJECT_API_KEY>', distinct_id: 'user-1', groups: { company: 'acme' } },
  });

const flag = z.object({
  key: z.string().describe('Key of the flag.'),
  enabled: z.boolean().describe('Whether it is on.'),
  variant: z.string().nullable().describe('Which variant of it, if it has any.'),
  reason: z
    .object({
      code: z.string().describe('Why, for programs.'),
      condition_index: z.int().nullable().describe('Position of the condition that decided.'),
      description: z.string().describe('Why, for people.'),
    })
    .describe('Why it is on or off.'),
  metadata: z
    .looseObject({
      id: z.int().describe('Number of the flag.'),
      version: z.int().describe('Counts its changes.'),
      description: z.string().nullable().describe('Always null: descriptions are not for the public.'),
      payload: z.string().nullable().describe('JSON text of what the flag carries.'),
    })
    .describe('More about the flag.'),
  failed: z.literal(true).optional().describe('It could not be evaluated; clients keep what they had.'),
});

const flagsAnswer = z
  .looseObject({
    flags: z.record(z.string(), flag).optional().describe('With `v=2`: the flags by key.'),
    featureFlags: z
      .record(z.string(), z.union([z.boolean(), z.string()]))
      .optional()
      .describe('With `v=1`: the values by key.'),
    featureFlagPayloads: z.record(z.string(), z.string()).optional().describe('With `v=1`: JSON texts by key.'),
    errorsWhileComputingFlags: z.boolean().describe('Whether some could not be evaluated.'),
    requestId: z.string().describe('Identifies the answer.'),
    evaluatedAt: z.number().optional().describe('With `v=2`: when, in milliseconds since 1970.'),
  })
  .meta({ id: 'FlagsAnswer', description: 'The flags of somebody.' });

const definitions = z
  .looseObject({
    flags: z.array(z.looseObject({})).describe('The flags as they are stored, their dependencies by key.'),
    group_type_mapping: z.record(z.string(), z.string()).describe('Names of the group types by index.'),
    cohorts: z.record(z.string(), z.unknown()).describe('With `send_cohorts`: the conditions of the cohorts that flags look at.'),
    timezone: z.string().optional().describe('Of the project’s days, and of dates without a zone; left out: UTC.'),
  })
  .meta({ id: 'FlagDefinitions', description: 'All that is needed to evaluate flags without the service.' });

/** OpenAPI operations of the flags routes that programs call without an SDK. */
export const operations: Operation[] = [
  {
    method: 'POST',
    access: null,
    errorStatuses: [],
    urls: ['/flags/'],
    summary: 'Ask which flags somebody has',
    query: z.object({
      v: z.int().optional().describe('Version of the answer: 2 tells why.'),
      config: z.boolean().optional().describe('Whether to answer with the project’s configuration for SDKs, too.'),
    }),
    body: flagsRequest,
    responses: {
      200: { description: 'The flags', schema: flagsAnswer },
      ...errorResponses('The stores are away, and nothing is known of the project yet; with `Retry-After`'),
    },
  },
  {
    method: 'GET',
    access: 'feature_flag:read',
    errorStatuses: [400, 404],
    urls: ['/flags/definitions', '/api/feature_flag/local_evaluation'],
    summary: 'Retrieve the definitions of all flags, for programs that evaluate them by themselves',
    description: 'Answers carry an `ETag`; with `If-None-Match` an answer that has not changed is a 304 without a body.',
    query: z.object({
      token: z.string().optional().describe('Project API key; the caller’s current project if left out.'),
      send_cohorts: z
        .string()
        .optional()
        .describe(
          'If present, the response has the conditions of cohorts; otherwise simple cohorts are sent as conditions on persons.',
        ),
    }),
    responses: {
      200: { description: 'The definitions', schema: definitions },
      304: { description: 'They are what the client has', schema: null },
    },
  },
];
