import { type AccountsApp, type Caller, startAccountsApp } from './accounts-app.js';

interface Fields {
  project_id?: number;
  deleted?: boolean;
}

/** An account with a project, people in it and what can be shared there. */
export interface SharingApp {
  it: AccountsApp;
  projectId: number;
  owner: Caller;
  /** A plain member, who made everything here. */
  maker: Caller & { uuid: string; id: number };
  /** Another plain member. */
  member: Caller & { uuid: string };
  /** Makes one of the maker's dashboards or insights; answers with its number. */
  make: Record<'dashboard' | 'insight', (fields?: Fields) => Promise<number>>;
}

export async function startSharingApp(): Promise<SharingApp> {
  const it = await startAccountsApp();
  const { db, ids } = it.deps;
  const owner = { key: it.owner.key };
  const projectId: number = (await it.call(owner, 'GET', '/api/projects/')).json().results[0].id;
  const [joined, member] = await Promise.all([it.invite('maker@example.com'), it.invite('member@example.com')]);
  const maker = { ...joined, id: (await it.call(joined, 'GET', '/api/users/@me/')).json().id };
  const common = () => ({ project_id: projectId, created_by: maker.id, created_at: new Date(), updated_at: new Date() });
  return {
    it,
    projectId,
    owner,
    maker,
    member,
    make: {
      dashboard: async (fields = {}) => {
        const values = { ...common(), name: 'Numbers', ...fields };
        return (await db.insertInto('dashboards').values(values).returning('id').executeTakeFirstOrThrow()).id;
      },
      insight: async (fields = {}) => {
        const values = { ...common(), short_id: ids.token(6), name: 'Sign-ups', last_modified_at: new Date(), ...fields };
        return (await db.insertInto('insights').values(values).returning('id').executeTakeFirstOrThrow()).id;
      },
    },
  };
}
