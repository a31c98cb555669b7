import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Plus, Sparkles, Trash2 } from 'lucide-react';
import { LoadFault } from '../../app/LoadFault.js';
import { useObjectLevel } from '../../app/object-level.js';
import { useProjectId } from '../../app/project-context.js';
import { useSearchChange } from '../../app/use-search-change.js';
import {
  createFeature,
  deleteFeature,
  type EarlyAccessFeature,
  type EarlyAccessStage,
  earlyAccessQuery,
  STAGES,
  updateFeature,
} from '../../data/early-access.js';
import { Button } from '../../ui/Button.js';
import { Form } from '../../ui/Form.js';
import { IconButton } from '../../ui/IconButton.js';
import { LIST_ROWS, ListBody, PageBar, PageHead } from '../../ui/PageHead.js';
import { Panel } from '../../ui/Panel.js';
import { SearchField } from '../../ui/SearchField.js';
import { Select } from '../../ui/Select.js';
import { Message, NoPermission, Skeleton } from '../../ui/states.js';
import { TextField } from '../../ui/TextField.js';
import { toast } from '../../ui/toast.js';
import type { EarlyAccessSearch } from './route.js';

const route = getRouteApi('/p/$project/flags/early-access');

/** What people can try by enrolling: each feature with its stage and its flag. */
export function EarlyAccessScreen() {
  const project = useProjectId();
  const { search = '', new: isNew } = route.useSearch();
  const queries = useQueryClient();
  const level = useObjectLevel('feature_flag')?.level;
  const canEdit = level === 'editor' || level === 'manager';
  const list = useQuery(earlyAccessQuery(project));
  const set = useSearchChange<EarlyAccessSearch>();
  const refresh = () =>
    queries.invalidateQueries({
      predicate: ({ queryKey: [, of, kind] }) =>
        of === project && (kind === 'early-access' || kind === 'flags' || kind === 'flag'),
    });
  const change = useMutation({
    mutationFn: (run: () => Promise<unknown>) => run(),
    onSettled: refresh,
    onError: (error) => toast(`It stays as it is: ${error.message}`),
  });
  const all = list.data?.results ?? [];
  const isClosed = level === 'none' && list.data?.results.length === 0;
  const features = all.filter(({ name }) => name.toLowerCase().includes(search.toLowerCase()));
  const create = canEdit && (
    <Button kind="primary" icon={<Plus size={14} aria-hidden />} onPress={() => set({ new: '1' })}>
      New feature
    </Button>
  );
  return (
    <>
      <PageHead crumb={<Link to={`/p/${project}/flags` as string}>Flags</Link>} title="Early access" actions={create} />
      <PageBar>
        <div className="w-64 max-sm:w-full">
          <SearchField label="Search features" value={search} onChange={(text) => set({ search: text || undefined })} />
        </div>
      </PageBar>
      <ListBody>
        {list.isPending && <Skeleton rows={5} />}
        {list.error && <LoadFault what="features in early access" error={list.error} onRetry={() => void list.refetch()} />}
        {isClosed && (
          <NoPermission
            what="features in early access"
            needs="Somebody who manages access to the project can give you access to flags."
          />
        )}
        {list.data && features.length === 0 && !isClosed && (
          <Message
            icon={<Sparkles size={16} aria-hidden />}
            title={search ? 'No feature matches' : 'Nothing in early access yet'}
            action={search ? <Button onPress={() => set({ search: undefined })}>Show all features</Button> : create}
          >
            People enroll in such a feature on your page, and its flag is on for them.
          </Message>
        )}
        {features.length > 0 && (
          <ul aria-label="Features" className={LIST_ROWS}>
            {features.map((feature) => (
              <Row
                key={feature.id}
                feature={feature}
                canEdit={canEdit}
                onStage={(stage) => change.mutate(() => updateFeature(project, feature.id, { stage }))}
                onDelete={() => change.mutate(() => deleteFeature(project, feature.id))}
              />
            ))}
          </ul>
        )}
      </ListBody>
      {isNew && canEdit && (
        <Panel title="New feature" onClose={() => set({ new: undefined })}>
          <Form
            fields={['name', 'description']}
            submit="Create feature"
            submitting="Creating…"
            onSubmit={async ({ name = '', description = '' }) => {
              await createFeature(project, { name, description, stage: 'draft' });
              await refresh();
              set({ new: undefined });
            }}
          >
            <TextField name="name" label="Name" isRequired autoFocus help="People see it. A flag is created with it" />
            <TextField name="description" label="What people get" rows={3} help="If you like" />
          </Form>
        </Panel>
      )}
    </>
  );
}

interface RowProps {
  feature: EarlyAccessFeature;
  canEdit: boolean;
  onStage: (stage: EarlyAccessStage) => void;
  onDelete: () => void;
}

function Row({ feature: { name, description, stage, feature_flag: flag }, canEdit, onStage, onDelete }: RowProps) {
  const project = useProjectId();
  const found = STAGES.find((one) => one.stage === stage);
  return (
    <li className="flex min-h-[50px] flex-wrap items-center gap-x-4 gap-y-1 px-6 py-2 max-sm:px-4">
      <span className="min-w-40 flex-1">
        <span className="block truncate text-13 font-medium">{name}</span>
        <span className="block truncate text-12 text-text-3">{description || found?.effect}</span>
      </span>
      {flag && (
        <Link to={`/p/${project}/flags/${flag.id}` as string} className="max-w-52 truncate font-mono text-12 text-accent-text">
          {flag.key}
        </Link>
      )}
      {canEdit ? (
        <>
          <div className="w-40">
            <Select
              label={`Stage of ${name}`}
              hideLabel
              isSmall
              options={STAGES.map((one) => ({ value: one.stage, label: one.label }))}
              value={stage}
              onChange={onStage}
            />
          </div>
          <IconButton isSmall label={`Delete ${name}; its flag stays`} onPress={onDelete}>
            <Trash2 size={14} aria-hidden />
          </IconButton>
        </>
      ) : (
        <span className="text-12 text-text-2">{found?.label}</span>
      )}
    </li>
  );
}
