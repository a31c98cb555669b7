import { readFileSync } from 'node:fs';
import { type CityResponse, Reader } from 'maxmind';
import type { Caches } from '../caches/index.js';
import { sentenceOf } from '../kernel/errors.js';
import type { JsonObject } from '../kernel/json.js';

/**
 * How many addresses and how many parts of the file are remembered: looking an address up costs more than the rest of the stages
 * together, and most of that is reading the same names of countries again.
 */
const REMEMBERED = 10_000;

/** The `$geoip_*` properties of an address, or null. */
export type Locate = (ip: string) => JsonObject | null;

/**
 * Opens a MaxMind city database and reads it into memory. Without a `file` no address is located.
 * @throws Error one sentence, when the file cannot be read
 */
export function openGeoip(file: string | null, caches: Caches): Locate {
  if (file === null) return () => null;
  const reader = open(file, caches);
  const known = caches.create<string, JsonObject | null>({ name: 'geoip_addresses', max: { entries: REMEMBERED } });
  return (ip) => {
    const found = known.get(ip);
    if (found !== undefined) return found;
    const place = describe(lookUp(reader, ip));
    known.set(ip, place);
    return place;
  };
}

function open(file: string, caches: Caches): Reader<CityResponse> {
  const cache = caches.create<string | number, unknown>({ name: 'geoip_records', max: { entries: REMEMBERED } });
  const bytes = must(() => readFileSync(file), 'cannot be read');
  return must(() => new Reader<CityResponse>(bytes, { cache }), 'is no MaxMind database');

  function must<T>(work: () => T, fault: string): T {
    try {
      return work();
    } catch (error) {
      throw new Error(`TIDEMARK_GEOIP: ${file} ${fault} (${sentenceOf(error)}).`);
    }
  }
}

function lookUp(reader: Reader<CityResponse>, ip: string): CityResponse | null {
  try {
    return reader.get(ip);
  } catch {
    // the address is the client's word, so it may be anything
    return null;
  }
}

function describe(city: CityResponse | null): JsonObject | null {
  if (!city) return null;
  const properties: JsonObject = {};
  const put = (name: string, value: string | number | undefined) => {
    if (value !== undefined) properties[`$geoip_${name}`] = value;
  };
  const subdivision = city.subdivisions?.[0];
  put('city_name', city.city?.names.en);
  put('country_name', city.country?.names.en);
  put('country_code', city.country?.iso_code);
  put('continent_name', city.continent?.names.en);
  put('continent_code', city.continent?.code);
  put('postal_code', city.postal?.code);
  put('latitude', city.location?.latitude);
  put('longitude', city.location?.longitude);
  put('accuracy_radius', city.location?.accuracy_radius);
  put('time_zone', city.location?.time_zone);
  put('subdivision_1_code', subdivision?.iso_code);
  put('subdivision_1_name', subdivision?.names.en);
  return properties;
}
