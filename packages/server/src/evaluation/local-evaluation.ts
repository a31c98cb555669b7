import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { behavioralCohorts } from '../analytics/index.js';
import { isObject, type Json, type JsonObject } from '../kernel/json.js';
import { type DependencyChain, dependencyChains } from './flag-dependencies.js';
import type { CohortRow, FlagRow, GroupTypeRow } from './store.js';
import { toWireAggregation, toWireDate, toWireEnrollment, toWireTree } from './wire-form.js';

/** Source of a local-evaluation payload. */
interface LocalEvaluationSource {
  projectId: number;
  timezone: string;
  flags: readonly FlagRow[];
  cohorts: readonly CohortRow[];
  groupTypes: readonly GroupTypeRow[];
}

const etags = new WeakMap<Buffer, string>();

/** The ETag of a payload; weak, because it stands for the compressed payload, too. */
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

/** The payload in gzip, compressed once. */
export function gzipped(body: Buffer): Promise<Buffer> {
  let bytes = compressed.get(body);
  if (!bytes) {
    bytes = compress(body);
    compressed.set(body, bytes);
  }
  return bytes;
}

/**
 * The local-evaluation payload: the flags of a project as JSON, for SDKs that evaluate without the service.
 * @param sendCohorts whether the client supports cohorts; otherwise simple cohorts become person properties
 */
export function makeLocalEvaluationPayload(source: LocalEvaluationSource, sendCohorts: boolean): Buffer {
  const chains = dependencyChains(source.flags);
  const behavioral = behavioralCohorts(source.cohorts);
  // only the service knows the members of static and behavioral cohorts
  const computable = source.cohorts.filter(({ id, is_static }) => !is_static && !behavioral.has(id));
  const cohorts = new Map(computable.map((cohort) => [String(cohort.id), toWireTree(cohortTree(cohort), source.timezone)]));
  const toWire = (property: JsonObject) => toWireDependency(toWireDate(property, source.timezone), chains);
  const flags = source.flags
    // remote configuration is not evaluated, and may be secret
    .filter((flag) => !flag.is_remote_configuration)
    .map((flag) => wireFlag(source.projectId, flag, (groups) => toWireGroups(groups, toWire, sendCohorts ? null : cohorts)));
  const body = {
    flags,
    group_type_mapping: Object.fromEntries(source.groupTypes.map((type) => [String(type.group_type_index), type.group_type])),
    cohorts: sendCohorts ? Object.fromEntries(referenced(flags, cohorts)) : {},
    // an extension: only our clients read it
    ...(source.timezone === 'UTC' ? {} : { timezone: source.timezone }),
  };
  return Buffer.from(JSON.stringify(body));
}

type Groups = JsonObject[];

function wireFlag(projectId: number, flag: FlagRow, toWire: (groups: Groups) => Groups): JsonObject {
  const stored = isObject(flag.filters) ? flag.filters : {};
  const conditions = toWireEnrollment(Array.isArray(stored.groups) ? stored.groups.filter(isObject) : [], stored, flag.key);
  const { filters, groups } = toWireAggregation(stored, conditions);
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
      // `/flags` omits them, too
      ...(flag.has_encrypted_payloads ? { payloads: {} } : {}),
      // clients require a list
      groups: toWire(groups),
    },
  };
}

function toWireGroups(
  groups: Groups,
  toWire: (property: JsonObject) => JsonObject,
  cohorts: ReadonlyMap<string, JsonObject> | null,
): Groups {
  const plain = cohorts ? groups.flatMap((group) => inlineCohort(group, cohorts)) : groups;
  return plain.map((group) =>
    Array.isArray(group.properties)
      ? { ...group, properties: group.properties.map((property) => (isObject(property) ? toWire(property) : property)) }
      : group,
  );
}

/** Stored conditions reference flags by id, clients by key. */
function toWireDependency(property: JsonObject, chains: ReadonlyMap<string, DependencyChain>): JsonObject {
  if (property.type !== 'flag') return property;
  const dependency = chains.get(String(property.key));
  return { ...property, key: dependency?.key ?? property.key ?? '', dependency_chain: [...(dependency?.chain ?? [])] };
}

/** The conditions of a cohort: a tree of `{ type: AND | OR, values }`. */
export function cohortTree(cohort: CohortRow): JsonObject {
  const properties = isObject(cohort.filters) ? cohort.filters.properties : null;
  return isObject(properties) && Array.isArray(properties.values) ? properties : { type: 'AND', values: [] };
}

/** The cohorts that flags reference, directly or through other cohorts. */
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

/** Limit of conditions that replace one condition. */
const MAX_ALTERNATIVES = 20;

/**
 * Translates a condition for clients without cohorts: replaces its only cohort, if simple, by person properties, one condition for each
 * alternative. Other conditions stay unchanged; clients ask the server about them.
 */
function inlineCohort(group: JsonObject, cohorts: ReadonlyMap<string, JsonObject>): JsonObject[] {
  const properties = Array.isArray(group.properties) ? group.properties : [];
  const [own, ...others] = properties.filter((property) => isObject(property) && property.type === 'cohort');
  if (!isObject(own) || others.length > 0 || own.negation === true || own.operator === 'not_in') return [group];
  const tree = cohorts.get(String(own.value));
  const alternatives = tree ? alternativesOf(tree) : null;
  if (!alternatives || alternatives.length === 0 || alternatives.length > MAX_ALTERNATIVES) return [group];
  const rest = properties.filter((property) => property !== own);
  return alternatives.map((leaves) => ({ ...group, properties: [...rest, ...leaves] }));
}

/** The disjunctive normal form of a tree: alternatives of properties that must all match; null: not that simple. */
function alternativesOf(node: Json): JsonObject[][] | null {
  if (!isObject(node)) return null;
  if (!Array.isArray(node.values)) return isLeaf(node) ? [[node]] : null;
  const parts = node.values.map(alternativesOf);
  if (!parts.every((part) => part !== null)) return null;
  if (node.type === 'OR') return parts.flat();
  // at most one part may have several alternatives: products would grow exponentially
  if (parts.filter((part) => part.length > 1).length > 1) return null;
  return parts.reduce<JsonObject[][]>((sum, part) => sum.flatMap((left) => part.map((right) => [...left, ...right])), [[]]);
}

const isLeaf = (node: JsonObject): boolean =>
  (node.type === 'person' || node.type === undefined) && node.negation !== true && node.key !== undefined;
