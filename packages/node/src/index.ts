/** Tidemark for Node.js servers: events, flags, local evaluation, exceptions. */
export type {
  Bootstrap,
  CapturedEvent,
  EventName,
  EventPropertiesOf,
  EventRegistry,
  FlagKey,
  FlagPayloadOf,
  FlagRegistry,
  FlagResult,
  FlagValue,
  FlagValueOf,
  Properties,
} from '@tidemark/client';
export { createNodeClient } from './create-node-client.js';
export type { DefinitionsCache } from './definitions/definitions-cache.js';
export type { FlagDefinitions } from './definitions/flag-definitions.js';
export type { EvaluatedFlags } from './flags/evaluated-flags.js';
export { init } from './init.js';
export type {
  BootstrapOptions,
  EvaluationOptions,
  EventMessage,
  ExceptionHint,
  FlagOptions,
  Groups,
  NodeClient,
} from './node-client.js';
export type { NodeOptions } from './node-options.js';
export type { NodePlatform } from './node-platform.js';
export type { GivenNodeOptions } from './option-names.js';
export { fastifyPlugin } from './request/fastify-plugin.js';
export type { RequestContext } from './request/request-context.js';
export { contextOf, type RequestHeaders } from './request/request-headers.js';
export { errorMiddleware, requestMiddleware } from './request/request-middleware.js';
