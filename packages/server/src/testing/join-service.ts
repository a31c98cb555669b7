import type { TestService } from './service.js';

/** A plain member of the organization of a {@link TestService}. */
export interface ServiceMember {
  /** Of the membership. */
  id: string;
  uuid: string;
  /** A personal key with scope `*`. */
  key: string;
  /** Of a login session. */
  cookie: string;
}

const PASSWORD = 'another long and strong passphrase 77';

/** Invites somebody into the organization of the service; they accept and make a key. */
export async function joinService(service: TestService, email: string): Promise<ServiceMember> {
  const ok = async (answer: ReturnType<TestService['call']>) => {
    const response = await answer;
    if (response.statusCode !== 201 && response.statusCode !== 200) throw new Error(`${response.statusCode} ${response.body}`);
    return response;
  };
  const invite = await ok(service.call('POST', '/api/organizations/@current/invites/', { body: { target_email: email } }));
  const body = { first_name: 'New', password: PASSWORD };
  const signup = await ok(service.call('POST', `/api/signup/${invite.json().id}/`, { key: null, body }));
  const cookie = signup.cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
  const made = await ok(
    service.call('POST', '/api/personal_api_keys/', { key: null, headers: { cookie }, body: { label: 'key', scopes: ['*'] } }),
  );
  const { uuid } = signup.json();
  const members = (await ok(service.call('GET', '/api/organizations/@current/members/'))).json().results;
  const membership = members.find((member: { user: { uuid: string } }) => member.user.uuid === uuid);
  return { id: membership.id, uuid, key: made.json().value, cookie };
}
