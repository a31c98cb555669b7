import type { JsonObject } from '../../kernel/json.js';
import { describeOperation } from './describe-operation.js';
import { errorResponseComponents, errorSchema } from './error-responses.js';
import { type Components, toJsonSchema } from './json-schema.js';
import type { Operation } from './operation.js';

/** A group of operations on the reference page. */
export interface Tag {
  name: string;
  description: string;
  /** Matches the paths of the group. The first tag that matches wins. */
  pattern: RegExp;
}

/** The parts of a document other than its operations. */
export interface Frame {
  title: string;
  version: string;
  description: string;
  /** In the order of the reference page. */
  tags: readonly Tag[];
  securitySchemes: JsonObject;
}

/**
 * Builds the OpenAPI 3.1 document of operations. It is deterministic. It stops after each operation, because all of them take
 * half a second of processor time.
 */
export function* openApiDocument(operations: readonly Operation[], frame: Frame): Generator<void, JsonObject> {
  const components: Components = new Map();
  toJsonSchema(errorSchema, 'output', components);
  const paths: Record<string, JsonObject> = {};
  const named = new Map<string, JsonObject>();
  for (const { operation, url, tag } of inOrder(operations, frame.tags)) {
    const path = url.replaceAll(/:(\w+)/g, '{$1}');
    const described = describeOperation(operation, url, tag, components);
    paths[path] = { ...paths[path], [operation.method.toLowerCase()]: described };
    // an operation on a list and one on an item of it can have the same generated id
    const name = String(described['operationId']);
    const namesake = named.get(name);
    if (namesake) (/\/:\w+\/\w+\/$/.test(url) ? namesake : described)['operationId'] = name.replace(/_([^_]+_[^_]+)$/, '_all_$1');
    named.set(name, described);
    yield;
  }
  return {
    openapi: '3.1.1',
    info: {
      title: frame.title,
      version: frame.version,
      description: frame.description,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'The service that this page comes from' }],
    tags: frame.tags.map(({ name, description }) => ({ name, description })),
    paths,
    components: {
      schemas: Object.fromEntries([...components].toSorted(([a], [b]) => (a < b ? -1 : 1))),
      responses: errorResponseComponents(),
      securitySchemes: frame.securitySchemes,
    },
  };
}

function inOrder(operations: readonly Operation[], tags: readonly Tag[]) {
  return operations
    .map((operation) => {
      const url = documentedUrl(operation);
      const place = tags.findIndex(({ pattern }) => pattern.test(url));
      return { operation, url, tag: tags[place]?.name ?? '', place };
    })
    .toSorted((a, b) => a.place - b.place);
}

/** The documented path of an operation with several: the one below `environments`, except for projects themselves. */
function documentedUrl({ urls }: Operation): string {
  const nested = urls.find((url) => /^\/api\/environments\/:project_id\/(?!reset_token)./.test(url));
  return nested ?? urls[0] ?? '';
}
