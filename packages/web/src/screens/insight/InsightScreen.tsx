import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Bell, Check, Code, Share2, Undo2 } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useActions } from '../../actions/actions.js';
import { useMayCreate } from '../../app/object-level.js';
import { useProjectId } from '../../app/project-context.js';
import { NothingHere } from '../../app/root-route.js';
import { type Alert, alertsOfInsightQuery } from '../../data/alerts.js';
import { createInsight, insightQuery, refreshInsights, updateInsight } from '../../data/insights.js';
import { useNoteView } from '../../data/recently-viewed.js';
import { AlertsBadge } from '../../insight/alerts/AlertBadge.js';
import { AlertsPanel } from '../../insight/alerts/AlertsPanel.js';
import { goalsOf } from '../../insight/alerts/goals.js';
import { Builder } from '../../insight/builder/Builder.js';
import { InsightView } from '../../insight/InsightView.js';
import { missingPart } from '../../insight/missing-part.js';
import { newQuestion, type Question, unwrapQuestion } from '../../query/question.js';
import { ExportMenu } from '../../share/ExportMenu.js';
import { ShareDialog } from '../../share/ShareDialog.js';
import { Badge } from '../../ui/Badge.js';
import { Button } from '../../ui/Button.js';
import { Dialog } from '../../ui/Dialog.js';
import { Form } from '../../ui/Form.js';
import { IconButton } from '../../ui/IconButton.js';
import { MenuLine, MenuRow, MoreMenu } from '../../ui/Menu.js';
import { PageHead } from '../../ui/PageHead.js';
import { RenameDialog } from '../../ui/RenameDialog.js';
import { TextField } from '../../ui/TextField.js';
import { toast } from '../../ui/toast.js';
import { AsTextDialog } from './AsTextDialog.js';
import { type InsightSearch, readQuestion } from './read-question.js';

const NO_ALERTS: readonly Alert[] = [];

/** Builds, views and saves an insight. The question stands in the address while it is not saved, so that a reload or a link keeps it. */
export function InsightScreen() {
  const project = useProjectId();
  const { shortId } = useParams({ strict: false });
  const search: InsightSearch = useSearch({ strict: false });
  const navigate = useNavigate();
  const queries = useQueryClient();
  const saved = useQuery({ ...insightQuery(project, shortId ?? ''), enabled: shortId !== undefined });
  const insight = saved.data ?? null;
  const savedQuestion = useMemo(() => unwrapQuestion(insight?.query), [insight]);
  const question = useMemo(
    () => (search.q ? readQuestion(search.q) : null) ?? savedQuestion ?? newQuestion('TrendsQuery'),
    [search.q, savedQuestion],
  );
  const isChanged = search.q !== undefined && JSON.stringify(question) !== JSON.stringify(savedQuestion);
  useNoteView(project, 'insight', insight?.id);
  const alerts = useQuery({ ...alertsOfInsightQuery(project, insight?.id ?? 0), enabled: insight !== null }).data ?? NO_ALERTS;
  const goals = useMemo(() => goalsOf(alerts, search.alert), [alerts, search.alert]);
  const [dialog, setDialog] = useState<'save' | 'rename' | 'text' | 'share' | null>(null);
  const [isSaving, setSaving] = useState(false);

  const change = (next: Question) =>
    void navigate({
      to: '.',
      search: ((before: InsightSearch) => ({ ...before, q: JSON.stringify(next), people: undefined })) as never,
      replace: true,
    });
  const showPeople = (people: string | null) =>
    void navigate({
      to: '.',
      search: ((before: InsightSearch) => ({ ...before, people: people ?? undefined, alert: undefined })) as never,
      replace: true,
    });
  const showAlert = (alert: string | null) =>
    void navigate({
      to: '.',
      search: ((before: InsightSearch) => ({ ...before, alert: alert ?? undefined, people: undefined })) as never,
      replace: true,
    });
  const revert = () => void navigate({ to: '.', search: {} as never, replace: true });
  const goTo = (id: string) => void navigate({ to: `/p/${project}/insights/${id}` as string });

  async function saveNew(name: string): Promise<void> {
    const dashboards = search.dashboard ? [Number(search.dashboard)] : [];
    const made = await createInsight(project, question, { name, dashboards });
    await refreshInsights(queries, project);
    setDialog(null);
    goTo(made.short_id);
  }

  async function save(): Promise<void> {
    if (!insight) return setDialog('save');
    if (isSaving) return;
    setSaving(true);
    try {
      const stored = await updateInsight(project, insight.id, { question });
      // shown as stored also if loading it again fails
      if (shortId) queries.setQueryData(insightQuery(project, shortId).queryKey, stored);
      await refreshInsights(queries, project);
      // a question that was changed meanwhile stays in the address
      void navigate({
        to: '.',
        search: ((now: InsightSearch) => (now.q === search.q ? {} : now)) as never,
        replace: true,
      });
    } catch (error) {
      toast(`Not saved: ${(error as Error).message}`);
    } finally {
      setSaving(false);
    }
  }

  async function remove(): Promise<void> {
    if (!insight) return;
    await updateInsight(project, insight.id, { deleted: true });
    await refreshInsights(queries, project);
    void navigate({ to: `/p/${project}/insights` as string });
    toast(`"${insight.name || insight.derived_name}" was deleted`, {
      label: 'Undo',
      onPress: () => void updateInsight(project, insight.id, { deleted: false }).then(() => refreshInsights(queries, project)),
    });
  }

  const mayCreate = useMayCreate('insight');
  const canEdit = insight === null ? mayCreate : insight.user_access_level !== 'viewer';
  useActions(
    // biome-ignore lint/correctness/useExhaustiveDependencies: registered again when what it saves changes
    useMemo(
      () => [
        ...(canEdit
          ? [{ id: 'save', label: 'Save insight', group: 'This screen', shortcut: 's', perform: () => void save() }]
          : []),
        ...(insight
          ? [{ id: 'alerts', label: 'Alerts of this insight', group: 'This screen', perform: () => showAlert('list') }]
          : []),
      ],
      [question, insight, canEdit, isSaving],
    ),
  );

  if (shortId !== undefined && saved.isSuccess && !insight) return <NothingHere />;
  const name = insight ? insight.name || insight.derived_name || 'Untitled' : 'New insight';
  return (
    <>
      <PageHead
        crumb={<Link to={`/p/${project}/insights` as string}>Insights</Link>}
        title={name}
        badges={
          <>
            {isChanged && insight && <Badge kind="warn">Changed, not saved</Badge>}
            <AlertsBadge alerts={alerts} />
          </>
        }
        actions={
          <>
            {isChanged && insight && (
              <IconButton label="Go back to what is saved" onPress={revert}>
                <Undo2 size={16} aria-hidden />
              </IconButton>
            )}
            {insight && (
              <IconButton label="Alerts" onPress={() => showAlert('list')}>
                <Bell size={16} aria-hidden />
              </IconButton>
            )}
            <Button kind="quiet" icon={<Code size={14} aria-hidden />} onPress={() => setDialog('text')}>
              As API call
            </Button>
            {insight && <ExportMenu of={{ insight: insight.id }} />}
            {insight && canEdit && (
              <Button icon={<Share2 size={14} aria-hidden />} onPress={() => setDialog('share')}>
                Share
              </Button>
            )}
            {insight && (canEdit || mayCreate) && (
              <MoreMenu label="Insight">
                {canEdit && <MenuRow onAction={() => setDialog('rename')}>Rename</MenuRow>}
                {mayCreate && <MenuRow onAction={() => setDialog('save')}>Save as a new insight</MenuRow>}
                {canEdit && <MenuLine />}
                {canEdit && (
                  <MenuRow isDanger onAction={() => void remove()}>
                    Delete insight
                  </MenuRow>
                )}
              </MoreMenu>
            )}
            {canEdit &&
              (isChanged || !insight ? (
                <Button kind="primary" busyLabel={isSaving ? 'Saving…' : null} onPress={() => void save()}>
                  Save
                </Button>
              ) : (
                <Button isDisabled icon={<Check size={14} aria-hidden />}>
                  Saved
                </Button>
              ))}
          </>
        }
      />
      <div className="flex min-h-0 flex-1 max-md:flex-col max-md:overflow-y-auto">
        <div className="w-[300px] shrink-0 overflow-y-auto border-r border-border bg-surface max-md:order-1 max-md:w-full max-md:overflow-visible max-md:border-t max-md:border-r-0">
          <Builder question={question} onChange={change} />
        </div>
        <InsightView
          question={question}
          onChange={change}
          insight={insight?.id ?? null}
          missing={missingPart(question)}
          people={search.people ?? null}
          onPeople={showPeople}
          goals={goals}
        />
        {insight && search.alert && (
          <AlertsPanel
            insight={insight.id}
            question={savedQuestion ?? question}
            canEdit={canEdit}
            shown={search.alert}
            onShow={showAlert}
            onClose={() => showAlert(null)}
          />
        )}
      </div>
      <Dialog title="Save insight" isOpen={dialog === 'save'} onClose={() => setDialog(null)}>
        <Form fields={['name']} submit="Save insight" submitting="Saving…" onSubmit={({ name: text = '' }) => saveNew(text)}>
          <TextField name="name" label="Name" isRequired autoFocus defaultValue={insight ? `${name} (copy)` : ''} />
        </Form>
      </Dialog>
      {insight && (
        <RenameDialog
          what="insight"
          name={insight.name ?? ''}
          description={insight.description}
          isOpen={dialog === 'rename'}
          onClose={() => setDialog(null)}
          onRename={async (fields) => {
            await updateInsight(project, insight.id, fields);
            await refreshInsights(queries, project);
          }}
        />
      )}
      {dialog === 'share' && insight && (
        <ShareDialog shared={{ kind: 'insight', id: insight.id }} name={name} onClose={() => setDialog(null)} />
      )}
      {dialog === 'text' && <AsTextDialog question={question} onClose={() => setDialog(null)} />}
    </>
  );
}
