import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { KeyRound, Pencil, Plus, RotateCcw, Trash2 } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useActions } from '../../actions/actions.js';
import { useProject } from '../../app/project-context.js';
import { type ApiKey, deleteKey, keysQuery, rollKey } from '../../data/keys.js';
import { Badge } from '../../ui/Badge.js';
import { Button } from '../../ui/Button.js';
import { Card } from '../../ui/Card.js';
import { ConfirmByName } from '../../ui/ConfirmByName.js';
import { classNames } from '../../ui/class-names.js';
import { MenuLine, MenuRow, MoreMenu } from '../../ui/Menu.js';
import { Fault, Message, Skeleton } from '../../ui/states.js';
import { Time } from '../../ui/Time.js';
import { FreshKey } from './FreshKey.js';
import { KeyPanel } from './KeyPanel.js';
import { ProjectKey } from './ProjectKey.js';
import { SettingsPage } from './SettingsPage.js';
import { scopeWords } from './scopes.js';
import { HEAD, ROW, TABLE } from './table.js';

const route = getRouteApi('/p/$project/settings/keys');
/** After this long without use, the list proposes to delete a key. */
const UNUSED_MS = 90 * 86_400_000;

/** The personal API keys of the person, and the key of the project. */
export function KeysScreen() {
  const keys = useQuery(keysQuery);
  const { key: open } = route.useSearch();
  const navigate = route.useNavigate();
  const queries = useQueryClient();
  const [fresh, setFresh] = useState<ApiKey | null>(null);
  const [ending, setEnding] = useState<{ key: ApiKey; how: 'roll' | 'delete' } | null>(null);
  const show = (key?: string) => void navigate({ search: key ? { key } : {} });
  const refetch = () => queries.invalidateQueries({ queryKey: keysQuery.queryKey });
  useActions(
    useMemo(
      () => [
        {
          id: 'key.new',
          label: 'New API key',
          group: 'Settings',
          shortcut: 'n',
          perform: () => void navigate({ search: { key: 'new' } }),
        },
      ],
      [navigate],
    ),
  );
  const opened = keys.data?.find(({ id }) => id === open);
  const isPanelOpen = open === 'new' || opened !== undefined;
  return (
    <SettingsPage
      title="API keys"
      actions={
        <Button kind="primary" icon={<Plus size={14} aria-hidden />} onPress={() => show('new')}>
          New key
        </Button>
      }
      panel={
        isPanelOpen && (
          <KeyPanel
            key={open}
            before={opened ?? null}
            onClose={() => show()}
            onDone={async (key) => {
              if (key.value) setFresh(key);
              await refetch();
              show();
            }}
          />
        )
      }
    >
      {fresh?.value && <FreshKey label={fresh.label} value={fresh.value} scopes={fresh.scopes} onClose={() => setFresh(null)} />}
      <Card className="overflow-hidden">
        {keys.error ? (
          <Fault title="Your keys could not be loaded" detail={keys.error.message} onRetry={() => void keys.refetch()} />
        ) : !keys.data ? (
          <Skeleton rows={3} />
        ) : keys.data.length === 0 ? (
          <Message
            icon={<KeyRound size={16} aria-hidden />}
            title="You have no keys yet"
            action={<Button onPress={() => show('new')}>Create your first key</Button>}
          >
            A personal API key lets a script or a server read and change what you can. It never can do more than you.
          </Message>
        ) : (
          <KeyTable
            keys={keys.data}
            freshId={fresh?.id ?? null}
            onEdit={(key) => show(key.id)}
            onRoll={(key) => setEnding({ key, how: 'roll' })}
            onDelete={(key) => setEnding({ key, how: 'delete' })}
          />
        )}
      </Card>
      <p className="text-12 text-text-3">
        These keys are yours: they act as you, in every project that they reach. Others do not see them. You can have 10.
      </p>
      <ProjectKey />
      {ending?.how === 'roll' && (
        <ConfirmByName
          title={`Give “${ending.key.label}” a new value?`}
          consequence="The value so far stops at once: what uses it is refused until it has the new one."
          name={null}
          confirm="Roll key"
          confirming="Rolling…"
          onClose={() => setEnding(null)}
          onConfirm={async () => {
            setFresh(await rollKey(ending.key.id));
            await refetch();
          }}
        />
      )}
      {ending?.how === 'delete' && (
        <ConfirmByName
          title={`Delete “${ending.key.label}”?`}
          consequence="The key stops at once and cannot be brought back, because only its owner has ever had it."
          name={ending.key.label}
          confirm="Delete key"
          confirming="Deleting…"
          onClose={() => setEnding(null)}
          onConfirm={async () => {
            await deleteKey(ending.key.id);
            if (fresh?.id === ending.key.id) setFresh(null);
            await refetch();
          }}
        />
      )}
    </SettingsPage>
  );
}

interface KeyTableProps {
  keys: readonly ApiKey[];
  freshId: string | null;
  onEdit: (key: ApiKey) => void;
  onRoll: (key: ApiKey) => void;
  onDelete: (key: ApiKey) => void;
}

function KeyTable({ keys, freshId, onEdit, onRoll, onDelete }: KeyTableProps) {
  const { timezone } = useProject();
  const now = Date.now();
  return (
    <table className={TABLE}>
      <thead>
        <tr className={HEAD}>
          <th>Name</th>
          <th>Scopes</th>
          <th className="max-sm:hidden">Last used</th>
          <th className="max-sm:hidden">Created</th>
          <th>
            <span className="sr-only">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {keys.map((key) => (
          <tr key={key.id} className={classNames(ROW, key.id === freshId && 'bg-accent-soft')}>
            <th scope="row">
              <span className="block text-13 font-medium wrap-anywhere">{key.label}</span>
              <span className="block font-mono text-11 text-text-3">{key.mask_value}</span>
            </th>
            <td>
              <ScopeBadges scopes={key.scopes} />
            </td>
            <td className="max-sm:hidden">
              {key.last_used_at ? <Time at={key.last_used_at} zone={timezone} /> : 'never'}
              {now - Date.parse(key.last_used_at ?? key.created_at) > UNUSED_MS && (
                <span className="mt-0.5 block">
                  <Badge kind="warn">Not used: delete?</Badge>
                </span>
              )}
            </td>
            <td className="max-sm:hidden">
              <Time at={key.created_at} zone={timezone} />
            </td>
            <td className="w-10 text-right">
              <MoreMenu label={`Actions of ${key.label}`} button={`Actions of ${key.label}`} isSmall>
                <MenuRow icon={<Pencil size={14} aria-hidden />} onAction={() => onEdit(key)}>
                  Change name and scopes
                </MenuRow>
                <MenuRow icon={<RotateCcw size={14} aria-hidden />} onAction={() => onRoll(key)}>
                  Roll
                </MenuRow>
                <MenuLine />
                <MenuRow isDanger icon={<Trash2 size={14} aria-hidden />} onAction={() => onDelete(key)}>
                  Delete
                </MenuRow>
              </MoreMenu>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The first two scopes, and how many more there are. */
function ScopeBadges({ scopes }: { scopes: readonly string[] }) {
  const more = scopes.slice(2);
  return (
    <span className="flex flex-wrap gap-1">
      {scopes.slice(0, 2).map((scope) => {
        const [object, access] = scopeWords(scope);
        return (
          <Badge key={scope}>
            <b className="font-strong text-text">{object}</b> {access}
          </Badge>
        );
      })}
      {more.length > 0 && (
        <span className="inline-flex" title={more.map((scope) => scopeWords(scope).join(' ')).join(', ')}>
          <Badge>+{more.length}</Badge>
        </span>
      )}
    </span>
  );
}
