import type { Client, ClientInternals, Feature } from '@tidemark/client';

/** A feature that people may try before everybody gets it. */
export interface EarlyAccessFeature {
  id: string;
  name: string;
  description: string;
  stage: string;
  documentationUrl: string;
  payload: unknown;
  /** The flag that it turns on. */
  flagKey: string;
}

export interface EarlyAccess extends Feature {
  /** The features on offer, of these stages only if given; empty when the service cannot be reached. */
  list(stages?: readonly string[]): Promise<EarlyAccessFeature[]>;
  /** Takes the person in or out; their flag changes at once. */
  enroll(flagKey: string, enrolled: boolean): void;
}

/**
 * Lets people choose features that are not for everybody yet.
 * @example
 * const early = earlyAccess();
 * init('tmk_…', { features: [early] });
 * for (const feature of await early.list(['beta'])) early.enroll(feature.flagKey, true);
 */
export function earlyAccess(): EarlyAccess {
  let known: { client: Client; internals: ClientInternals } | undefined;
  return {
    name: 'earlyAccess',
    setup(client, internals) {
      known = { client, internals };
      return undefined;
    },
    async list(stages) {
      if (!known) return [];
      const { client, internals } = known;
      const path = internals.options().paths?.early_access ?? '/api/early_access_features/';
      try {
        const answer = await internals.request(`${path}?token=${encodeURIComponent(client.apiKey)}`);
        if (answer.status !== 200) return [];
        const features = featuresOf(JSON.parse(await answer.text()));
        return stages ? features.filter(({ stage }) => stages.includes(stage)) : features;
      } catch (error) {
        internals.log.warn('The early access features could not be read:', error);
        return [];
      }
    },
    enroll(flagKey, enrolled) {
      if (!known) return;
      const { client } = known;
      const property = { [`$feature_enrollment/${flagKey}`]: enrolled };
      client.capture('$feature_enrollment_update', { $feature_flag: flagKey, $feature_enrollment: enrolled }, { $set: property });
      client.setPersonPropertiesForFlags(property);
    },
  };
}

function featuresOf(body: unknown): EarlyAccessFeature[] {
  const list = typeof body === 'object' && body !== null && 'earlyAccessFeatures' in body ? body.earlyAccessFeatures : [];
  return Array.isArray(list) ? list.filter(isFeature) : [];
}

function isFeature(value: unknown): value is EarlyAccessFeature {
  return typeof value === 'object' && value !== null && 'flagKey' in value && 'stage' in value;
}
