import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCaches } from '../caches/index.js';
import { mmdb } from '../testing/mmdb.js';
import { openGeoip } from './geoip.js';

const EUROPE = { code: 'EU', names: { en: 'Europe', de: 'Europa' } };
const LONDON = {
  city: { names: { en: 'London' } },
  continent: EUROPE,
  country: { iso_code: 'GB', names: { en: 'United Kingdom', de: 'Vereinigtes Königreich' } },
  location: { accuracy_radius: 200, latitude: 51.5142, longitude: -0.0931, time_zone: 'Europe/London' },
  postal: { code: 'EC1A' },
  subdivisions: [{ iso_code: 'ENG', names: { en: 'England' } }],
};
const caches = createCaches({ now: () => 0 });
let home: string;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'tidemark-geoip-'));
  await writeFile(join(home, 'city.mmdb'), mmdb({ '81.2': LONDON, '2.160': { continent: EUROPE } }));
  await writeFile(join(home, 'city.txt'), 'These are no places.');
});
afterAll(() => rm(home, { recursive: true, force: true }));

describe('a city database', () => {
  test('it returns all it has of an address, for each lookup', () => {
    const locate = openGeoip(join(home, 'city.mmdb'), caches);
    const london = {
      $geoip_city_name: 'London',
      $geoip_country_name: 'United Kingdom',
      $geoip_country_code: 'GB',
      $geoip_continent_name: 'Europe',
      $geoip_continent_code: 'EU',
      $geoip_postal_code: 'EC1A',
      $geoip_latitude: 51.5142,
      $geoip_longitude: -0.0931,
      $geoip_accuracy_radius: 200,
      $geoip_time_zone: 'Europe/London',
      $geoip_subdivision_1_code: 'ENG',
      $geoip_subdivision_1_name: 'England',
    };
    expect(locate('81.2.69.142')).toEqual(london);
    expect(locate('81.2.0.1')).toEqual(london);
    expect(locate('81.2.69.142')).toEqual(london);
    expect(locate('2.160.3.4')).toEqual({ $geoip_continent_name: 'Europe', $geoip_continent_code: 'EU' });
  });

  test.each(['127.0.0.1', '81.3.0.1', '2001:4860:4860::8888', 'nowhere', ''])('it has nothing for %j', (ip) => {
    expect(openGeoip(join(home, 'city.mmdb'), caches)(ip)).toBeNull();
  });

  test('a file that cannot be read is reported in one sentence with the name of the setting', () => {
    expect(() => openGeoip(join(home, 'city.txt'), caches)).toThrow(
      /^TIDEMARK_GEOIP: .+city.txt is no MaxMind database \(.+\)\.$/,
    );
    expect(() => openGeoip(join(home, 'none.mmdb'), caches)).toThrow(
      /^TIDEMARK_GEOIP: .+none.mmdb cannot be read \(ENOENT.+\)\.$/,
    );
  });

  test('it is optional', () => expect(openGeoip(null, caches)('81.2.69.142')).toBeNull());
});
