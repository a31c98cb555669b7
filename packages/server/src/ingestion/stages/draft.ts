import type { ProjectByKey } from '../../auth/index.js';
import type { JsonObject } from '../../kernel/json.js';
import type { CapturedEvent, DropReason, IngestionWarning } from '../capture.js';
import { NOTHING_PASSING, type Passing } from '../passing.js';

/** One event on its way through the stages. Its properties belong to the intake: stages change them in place. */
export interface Draft {
  readonly project: ProjectByKey;
  readonly receivedAt: number;
  /** The address that geography is looked up for; empty when none is known. */
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
  /** What the person gets: never more than what the event itself said and what was found out about it. */
  passing: Passing;
  set: JsonObject;
  setOnce: JsonObject;
  unset: string[];
  warnings: IngestionWarning[];
  /** Events split off this one, which did not go through the stages before the one that split them. */
  split: Draft[];
}

/** Why a stage ends the way of an event. */
export interface Drop {
  reason: DropReason;
  /** What the client is told. */
  details: string;
  /** `warning`: taken in, but not as an event. */
  result: 'drop' | 'warning';
}

/** What stages need besides the event. */
export interface StageEnv {
  uuid: () => string;
  /** Geographic properties of an address, `$geoip_*`; null when nothing is known of it. */
  locate: (ip: string) => JsonObject | null;
}

/** One named step: changes the draft, or ends its way. */
export interface Stage {
  name: string;
  run: (draft: Draft, env: StageEnv) => Drop | undefined;
}

/** The start of the way. */
export function draftOf(event: CapturedEvent, project: ProjectByKey, ip: string, receivedAt: number): Draft {
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
    passing: NOTHING_PASSING,
    set: {},
    setOnce: {},
    unset: [],
    warnings: [],
    split: [],
  };
}

/** A warning about this event. */
export function warn(draft: Draft, type: IngestionWarning['type'], details: JsonObject = {}): void {
  draft.warnings.push({
    projectId: draft.project.id,
    type,
    details: { eventUuid: draft.uuid, event: draft.event, distinctId: draft.distinctId, ...details },
  });
}
