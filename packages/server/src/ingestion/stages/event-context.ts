import type { ProjectByKey } from '../../auth/index.js';
import type { JsonObject } from '../../kernel/json.js';
import type { CapturedEvent, DropReason, IngestionWarning } from '../capture.js';
import { type DeviceProperties, NO_DEVICE_PROPERTIES } from '../device-properties.js';

/** One event on its way through the stages. Stages change it in place: the properties belong to the intake alone. */
export interface EventContext {
  readonly project: ProjectByKey;
  readonly receivedAt: number;
  /** The address for the GeoIP lookup; empty when unknown. */
  ip: string;
  uuid: string;
  event: string;
  distinctId: string;
  /** Epoch milliseconds, UTC. */
  timestamp: number;
  properties: JsonObject;
  elementsChain: string;
  /** false: `$process_person_profile: false` was sent. */
  processProfile: boolean;
  /** Changes of the person: page and device ({@link DeviceProperties}), `$set`, `$set_once` and `$unset`. */
  device: DeviceProperties;
  set: JsonObject;
  setOnce: JsonObject;
  unset: string[];
  warnings: IngestionWarning[];
  /** Events derived from this one; each passes only the stages after the one that derived it. */
  derived: EventContext[];
}

/** Why a stage rejects an event. */
export interface Rejection {
  reason: DropReason;
  /** Text for the client, a fixed tag. */
  details: string;
  /** `warning`: processed, but not stored as an event. */
  result: 'drop' | 'warning';
}

/** Dependencies of stages. */
export interface StageEnv {
  uuid: () => string;
  /** Geographic properties (`$geoip_*`) of an address; null when unknown. */
  locate: (ip: string) => JsonObject | null;
}

/** One named step: changes the context, or rejects the event. */
export interface Stage {
  name: string;
  run: (context: EventContext, env: StageEnv) => Rejection | undefined;
}

/** The context before the first stage. */
export function createEventContext(event: CapturedEvent, project: ProjectByKey, ip: string, receivedAt: number): EventContext {
  return {
    project,
    receivedAt,
    ip,
    uuid: event.uuid,
    event: event.event,
    distinctId: event.distinctId,
    timestamp: event.timestamp,
    properties: event.properties,
    elementsChain: '',
    processProfile: true,
    device: NO_DEVICE_PROPERTIES,
    set: {},
    setOnce: {},
    unset: [],
    warnings: [],
    derived: [],
  };
}

/** A warning about this event. */
export function warn(context: EventContext, type: IngestionWarning['type'], details: JsonObject = {}): void {
  context.warnings.push({
    projectId: context.project.id,
    type,
    details: { eventUuid: context.uuid, event: context.event, distinctId: context.distinctId, ...details },
  });
}
