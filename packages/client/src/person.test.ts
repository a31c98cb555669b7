import { describe, expect, it } from 'vitest';
import { startClient } from './testing/index.js';

describe('who the person is', () => {
  it('takes device ids from the application, and does without when that throws', () => {
    expect(startClient({ get_device_id: (made) => `dev-${made}` }).client.getDeviceId()).toMatch(/^dev-/);
    const broken = startClient({
      get_device_id: () => {
        throw new Error('no');
      },
    });
    expect(broken.client.getDeviceId()).not.toBe('');
  });
});

describe('identify', () => {
  it('takes a number as text, with a warning', () => {
    const { client, platform } = startClient();
    Reflect.apply(client.identify, client, [12345]);
    expect(client.getDistinctId()).toBe('12345');
    expect(platform.warnings()).toHaveLength(1);
  });
});

describe('person properties', () => {
  it('are removed by name', () => {
    const { client, queued } = startClient();
    client.unsetPersonProperties(['email']);
    expect(queued).toMatchObject([{ event: '$set', properties: { $unset: ['email'] } }]);
  });

  it("are wanted for everybody under person_profiles 'always'", () => {
    expect(startClient({ person_profiles: 'always' }).client.capture('a')?.properties.$process_person_profile).toBe(true);
  });
});
