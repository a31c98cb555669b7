import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { behavioralCohorts } from '../analytics/index.js';
import { isObject, type JsonObject } from '../kernel/json.js';
import { withoutCohorts } from './feed-cohorts.js';
import { type DependencyChain, dependencyChains } from './feed-dependencies.js';
import { toldAggregation, toldDate, toldEnrollment, toldTree } from './feed-told.js';
import type { CohortRow, FlagRow, GroupTypeRow } from './store.js';

/** What a feed is made of. */
export interface FeedSource {
  projectId: number;
  timezone: string;
  flags: readonly FlagRow[];
  cohorts: readonly CohortRow[];
  groupTypes: readonly GroupTypeRow[];
}

const etags = new WeakMap<Buffer, string>();

/** What stands for an answer, compressed or not (hence weak), in the headers `ETag` and `If-None-Match`. */
export function etagOf(body: Buffer): string {
  let etag = etags.get(body);
  if (!etag) {
    etag = `W/"${createHash('sha1').update(body).digest('hex')}"`;
    etags.set(body, etag);
  }
  return etag;
}

const compressed = new WeakMap<Buffer, Promise<Buffer>>();
const compress = promisify(gzip);

/** The answer in gzip, made once. */
export function gzipped(body: Buffer): Promise<Buffer> {
  let bytes = compressed.get(body);
  if (!bytes) {
    bytes = compress(body);
    compressed.set(body, bytes);
  }
  return bytes;
}

/**
 * The flags of a project as SDKs download them to evaluate them by themselves: JSON.
 * @param sendCohorts whether the client knows cohorts; else simple ones are told as properties of persons
 */
export function makeFeed(source: FeedSource, sendCohorts: boolean): Buffer {
  const chains = dependencyChains(source.flags);
  const behavioral = behavioralCohorts(source.cohorts);
  // of the others only the service knows who is in them
  const computable = source.cohorts.filter(({ id, is_static }) => !is_static && !behavioral.has(id));
  const cohorts = new Map(computable.map((cohort) => [String(cohort.id), toldTree(cohortTree(cohort), source.timezone)]));
  const told = (property: JsonObject) => toldDependency(toldDate(property, source.timezone), chains);
  const flags = source.flags
    // what is only a value for programs is not evaluated, and may be secret
    .filter((flag) => !flag.is_remote_configuration)
    .map((flag) => feedFlag(source.projectId, flag, (groups) => toldGroups(groups, told, sendCohorts ? null : cohorts)));
  const body = {
    flags,
    group_type_mapping: Object.fromEntries(source.groupTypes.map((type) => [String(type.group_type_index), type.group_type])),
    cohorts: sendCohorts ? Object.fromEntries(referenced(flags, cohorts)) : {},
    // ours alone: other clients know no time zone but UTC and their own
    ...(source.timezone === 'UTC' ? {} : { timezone: source.timezone }),
  };
  return Buffer.from(JSON.stringify(body));
}

type Groups = JsonObject[];

function feedFlag(projectId: number, flag: FlagRow, told: (groups: Groups) => Groups): JsonObject {
  const stored = isObject(flag.filters) ? flag.filters : {};
  const conditions = toldEnrollment(Array.isArray(stored.groups) ? stored.groups.filter(isObject) : [], stored, flag.key);
  const { filters, groups } = toldAggregation(stored, conditions);
  return {
    id: flag.id,
    team_id: projectId,
    name: flag.name,
    key: flag.key,
    active: flag.active,
    deleted: false,
    version: flag.version,
    ensure_experience_continuity: flag.ensure_experience_continuity,
    bucketing_identifier: flag.bucketing_identifier,
    evaluation_runtime: flag.evaluation_runtime,
    evaluation_contexts: flag.evaluation_contexts,
    has_encrypted_payloads: flag.has_encrypted_payloads,
    ...(flag.has_experiment ? { has_experiment: true } : {}),
    filters: {
      multivariate: null,
      payloads: {},
      aggregation_group_type_index: null,
      ...filters,
      // as little as `/flags` tells them
      ...(flag.has_encrypted_payloads ? { payloads: {} } : {}),
      // clients walk through them without looking
      groups: told(groups),
    },
  };
}

function toldGroups(
  groups: Groups,
  told: (property: JsonObject) => JsonObject,
  cohorts: ReadonlyMap<string, JsonObject> | null,
): Groups {
  const plain = cohorts ? groups.flatMap((group) => withoutCohorts(group, cohorts)) : groups;
  return plain.map((group) =>
    Array.isArray(group.properties)
      ? { ...group, properties: group.properties.map((property) => (isObject(property) ? told(property) : property)) }
      : group,
  );
}

/** Stored conditions name flags by their ids, clients know them by their keys. */
function toldDependency(property: JsonObject, chains: ReadonlyMap<string, DependencyChain>): JsonObject {
  if (property.type !== 'flag') return property;
  const dependency = chains.get(String(property.key));
  return { ...property, key: dependency?.key ?? property.key ?? '', dependency_chain: [...(dependency?.chain ?? [])] };
}

/** The conditions of a cohort: a tree of `{ type: AND | OR, values }`. */
export function cohortTree(cohort: CohortRow): JsonObject {
  const properties = isObject(cohort.filters) ? cohort.filters.properties : null;
  return isObject(properties) && Array.isArray(properties.values) ? properties : { type: 'AND', values: [] };
}

/** The cohorts that flags look at, and those that these look at. */
function referenced(flags: readonly JsonObject[], cohorts: ReadonlyMap<string, JsonObject>): Map<string, JsonObject> {
  const found = new Map<string, JsonObject>();
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) for (const item of value) visit(item);
    if (!isObject(value)) return;
    if (value.type === 'cohort') {
      for (const id of [value.value ?? []].flat().map(String)) {
        const tree = cohorts.get(id);
        if (!tree || found.has(id)) continue;
        found.set(id, tree);
        visit(tree);
      }
    }
    for (const inner of Object.values(value)) visit(inner);
  };
  visit(flags);
  return found;
}
