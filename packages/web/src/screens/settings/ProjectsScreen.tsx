import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate, useRouter } from '@tanstack/react-router';
import { Lock, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useProject } from '../../app/project-context.js';
import { createProject, deleteProject, organizationQuery } from '../../data/organization.js';
import { meQuery } from '../../data/session.js';
import { Badge } from '../../ui/Badge.js';
import { Button } from '../../ui/Button.js';
import { Card } from '../../ui/Card.js';
import { ConfirmByName } from '../../ui/ConfirmByName.js';
import { Form } from '../../ui/Form.js';
import { IconButton } from '../../ui/IconButton.js';
import { Panel } from '../../ui/Panel.js';
import { Fault, Skeleton } from '../../ui/states.js';
import { TextField } from '../../ui/TextField.js';
import { useRights } from './rights.js';
import { Reason, SettingsPage } from './SettingsPage.js';
import { HEAD, ROW, TABLE } from './table.js';

const route = getRouteApi('/p/$project/settings/projects');

/** The projects of the organization that the person may see. */
export function ProjectsScreen() {
  const { organization: id, organizationName, isOrganizationAdmin } = useRights();
  const current = useProject();
  const organization = useQuery(organizationQuery(id));
  const { panel } = route.useSearch();
  const navigate = route.useNavigate();
  const goTo = useNavigate();
  const queries = useQueryClient();
  const router = useRouter();
  const [ending, setEnding] = useState<{ id: number; name: string } | null>(null);
  const refetch = async () => {
    await queries.invalidateQueries({ queryKey: organizationQuery(id).queryKey, exact: true });
    await queries.invalidateQueries({ queryKey: meQuery.queryKey, exact: true });
    await router.invalidate();
  };
  const close = () => void navigate({ search: {} });
  return (
    <SettingsPage
      title="Projects"
      actions={
        isOrganizationAdmin && (
          <Button
            kind="primary"
            icon={<Plus size={14} aria-hidden />}
            onPress={() => void navigate({ search: { panel: 'new' } })}
          >
            New project
          </Button>
        )
      }
      panel={
        panel === 'new' &&
        isOrganizationAdmin && (
          <Panel title="New project" onClose={close}>
            <Form
              fields={['name']}
              submit="Create project"
              submitting="Creating…"
              onSubmit={async ({ name = '' }) => {
                const made = await createProject(id, name);
                await refetch();
                await goTo({ to: '/p/$project', params: { project: String(made.id) } });
              }}
            >
              <TextField name="name" label="Name" help="Such as the name of the site or app" isRequired autoFocus />
              <p className="text-12 text-text-3">
                It gets a key of its own, and has its own events, people, dashboards and flags. Everybody in {organizationName}{' '}
                sees it until you close it.
              </p>
            </Form>
          </Panel>
        )
      }
    >
      {!isOrganizationAdmin && (
        <Reason>You are a member of {organizationName}. Its administrators and owners create and delete projects.</Reason>
      )}
      <Card className="overflow-hidden">
        {organization.error ? (
          <Fault
            title="The projects could not be loaded"
            detail={organization.error.message}
            onRetry={() => void organization.refetch()}
          />
        ) : !organization.data ? (
          <Skeleton rows={3} />
        ) : (
          <table className={TABLE}>
            <thead>
              <tr className={HEAD}>
                <th>Name</th>
                <th>Number</th>
                <th className="max-sm:hidden">Time zone</th>
                <th>
                  <span className="sr-only">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {organization.data.teams.map((project) => (
                <tr key={project.id} className={ROW}>
                  <th scope="row">
                    <span className="flex flex-wrap items-center gap-2">
                      <Link
                        to="/p/$project"
                        params={{ project: String(project.id) }}
                        className="font-medium wrap-anywhere text-text"
                      >
                        {project.name}
                      </Link>
                      {project.id === current.id && <Badge kind="accent">Here</Badge>}
                      {project.access_control && <Badge icon={<Lock size={12} aria-hidden />}>Closed</Badge>}
                      {!project.ingested_event && <Badge>No events yet</Badge>}
                    </span>
                  </th>
                  <td className="tnum">{project.id}</td>
                  <td className="max-sm:hidden">{project.timezone}</td>
                  <td className="w-10 text-right">
                    {isOrganizationAdmin && (
                      <IconButton isSmall label={`Delete ${project.name}`} onPress={() => setEnding(project)}>
                        <Trash2 size={14} aria-hidden />
                      </IconButton>
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </Card>
      {ending && (
        <ConfirmByName
          title={`Delete “${ending.name}”?`}
          consequence="Its events, people, recordings, dashboards and flags are deleted for good, for everybody. Pages and apps with its key send into nothing, and public links stop."
          name={ending.name}
          confirm="Delete project"
          confirming="Deleting…"
          onClose={() => setEnding(null)}
          onConfirm={async () => {
            await deleteProject(ending.id);
            if (ending.id !== current.id) return refetch();
            queries.clear();
            await goTo({ to: '/', replace: true });
          }}
        />
      )}
    </SettingsPage>
  );
}
