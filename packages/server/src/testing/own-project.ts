import type { LightMyRequestResponse } from 'fastify';
import type { AccountsApp, Caller } from './accounts-app.js';

/** A project of its own for one test, in the owner's organization. */
export interface OwnProject {
  id: number;
  /** Calls below `/api/environments/<id>/`; by the owner's key unless `caller` is given. */
  call(
    method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE',
    path: string,
    body?: unknown,
    caller?: Caller,
  ): Promise<LightMyRequestResponse>;
}

export async function ownProject(app: AccountsApp, fields: object = {}): Promise<OwnProject> {
  const made = await app.call(app.owner, 'POST', '/api/projects/', { name: 'Own', ...fields });
  if (made.statusCode !== 201) throw new Error(`no project made: ${made.body}`);
  const { id } = made.json();
  return {
    id,
    call: (method, path, body, caller = { key: app.owner.key }) =>
      app.call(caller, method, `/api/environments/${id}/${path}`, body),
  };
}
