import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import {
  ChartLine,
  Flag,
  FlaskConical,
  Layers,
  LayoutDashboard,
  type LucideIcon,
  Megaphone,
  Search,
  UserSearch,
  Users,
} from 'lucide-react';
import type { ReactNode } from 'react';
import {
  Autocomplete,
  Dialog,
  Header,
  Input,
  ListBox,
  ListBoxItem,
  ListBoxSection,
  Modal,
  ModalOverlay,
  TextField,
  useFilter,
} from 'react-aria-components';
import { performAction, shortcutText, useAllActions } from '../actions/actions.js';
import { FOUND_KINDS, type FoundKind, findQuery } from '../data/find.js';
import { POP_ROW } from '../ui/Pop.js';
import { useSettled } from '../ui/use-settled.js';
import { useObjectLevels } from './object-level.js';
import { useProjectId } from './project-context.js';

interface PaletteDialogProps {
  text: string;
  onText: (text: string) => void;
  onClose: () => void;
}

/** The open palette: every object, place and thing that can be done here, by a few letters of its name. */
export const PaletteDialog = ({ text, onText, onClose }: PaletteDialogProps) => (
  <ModalOverlay
    isOpen
    onOpenChange={(isOpen) => isOpen || onClose()}
    isDismissable
    className="fixed inset-0 z-[var(--z-dialog)] flex justify-center bg-overlay px-4 pt-16"
  >
    <Modal className="h-fit w-full max-w-xl">
      <Dialog
        aria-label="Search or go to"
        data-palette
        className="overflow-hidden rounded-xl border border-border bg-raised shadow-dialog outline-none"
      >
        <PaletteList text={text} onText={onText} onClose={onClose} />
      </Dialog>
    </Modal>
  </ModalOverlay>
);

const KINDS: Record<FoundKind, { label: string; icon: LucideIcon }> = {
  dashboard: { label: 'Dashboard', icon: LayoutDashboard },
  insight: { label: 'Insight', icon: ChartLine },
  feature_flag: { label: 'Flag', icon: Flag },
  experiment: { label: 'Experiment', icon: FlaskConical },
  survey: { label: 'Survey', icon: Megaphone },
  cohort: { label: 'Cohort', icon: Layers },
  person: { label: 'Person', icon: Users },
};

interface Choice {
  id: string;
  label: string;
  icon?: LucideIcon;
  aside?: ReactNode;
  choose: () => void;
}

const KEY = 'rounded-s border border-border px-1 font-sans text-11 text-text-3';

function PaletteList({ text, onText, onClose }: PaletteDialogProps) {
  const wanted = text.trim();
  const { contains } = useFilter({ sensitivity: 'base' });
  // what is found comes later than the actions, and must not move them away from a finger on Enter
  const groups = [
    ...groupsOf(useAllActions().filter(({ id, label }) => id !== 'palette' && contains(label, wanted))),
    { group: 'Found', choices: useFound(wanted) },
    { group: 'Do', choices: usePersonSearch(wanted) },
  ].filter(({ choices }) => choices.length > 0);
  const all = groups.flatMap(({ choices }) => choices);
  const choose = (choice: Choice | undefined) => {
    if (!choice) return;
    onClose();
    choice.choose();
  };
  return (
    <Autocomplete inputValue={text} onInputChange={onText}>
      <TextField aria-label="Search or go to" autoFocus className="flex items-center gap-2 border-b border-border px-4">
        <Search size={16} aria-hidden className="text-text-3" />
        <Input
          role="combobox"
          onKeyDown={({ key, currentTarget, nativeEvent }) => {
            // no result is active after what was typed before the field was there
            const isActive = currentTarget.hasAttribute('aria-activedescendant');
            if (key === 'Enter' && !isActive && !nativeEvent.isComposing) choose(all[0]);
          }}
          aria-expanded
          placeholder="Search or go to"
          className="h-12 min-w-0 flex-1 bg-transparent text-14 outline-none placeholder:text-text-3"
        />
        <kbd aria-hidden className={`${KEY} max-sm:hidden`}>
          Esc
        </kbd>
      </TextField>
      <ListBox
        aria-label="Results"
        className="max-h-[60dvh] overflow-y-auto p-1 outline-none"
        renderEmptyState={() => <p className="p-3 text-13 text-text-3">Nothing matches</p>}
        onAction={(key) => choose(all.find(({ id }) => id === key))}
      >
        {groups.map(({ group, choices }) => (
          <ListBoxSection key={group} id={`group ${group}`}>
            <Header className="px-2 pt-2 pb-1 text-11 font-medium text-text-3">{group}</Header>
            {choices.map(({ id, label, icon: Icon, aside }) => (
              <ListBoxItem key={id} id={id} textValue={label} className={POP_ROW}>
                {Icon && <Icon size={16} strokeWidth={1.75} aria-hidden className="shrink-0 text-text-3" />}
                <span className="min-w-0 flex-1 truncate">{label}</span>
                {aside}
              </ListBoxItem>
            ))}
          </ListBoxSection>
        ))}
      </ListBox>
      <p className="flex items-center gap-3 border-t border-border px-4 py-2 text-11 text-text-3 max-sm:hidden">
        <span>
          <kbd className={KEY}>↑</kbd> <kbd className={KEY}>↓</kbd> move
        </span>
        <span>
          <kbd className={KEY}>↵</kbd> open
        </span>
        <span className="flex-1 text-right">Dashboards, insights, flags, people, screens and actions</span>
      </p>
    </Autocomplete>
  );
}

/** The actions of each group, in the order in which groups come up. */
function groupsOf(actions: ReturnType<typeof useAllActions>): { group: string; choices: Choice[] }[] {
  return [...new Set(actions.map(({ group }) => group))].map((group) => ({
    group,
    choices: actions
      .filter((action) => action.group === group)
      .map((action) => ({
        id: action.id,
        label: action.label,
        aside: action.shortcut && <kbd className="font-sans text-11 text-text-3">{shortcutText(action.shortcut)}</kbd>,
        choose: () => performAction(action),
      })),
  }));
}

/** Objects whose names match; those of kinds that the person may not see are not asked for. */
function useFound(text: string): Choice[] {
  const project = useProjectId();
  const navigate = useNavigate();
  const levelOf = useObjectLevels();
  const kinds = FOUND_KINDS.filter((kind) => (levelOf(kind)?.level ?? 'none') !== 'none');
  const settled = useSettled(text);
  const { data = [] } = useQuery({ ...findQuery(project, settled, kinds), placeholderData: keepPreviousData });
  if (text === '') return [];
  return data.map(({ kind, name, path }) => {
    const { label, icon } = KINDS[kind];
    return {
      id: `found ${path}`,
      label: name,
      icon,
      aside: <span className="shrink-0 text-12 text-text-3">{label}</span>,
      choose: () => void navigate({ to: `/p/${project}${path}` as string }),
    };
  });
}

/** The list of people with the text as its search. */
function usePersonSearch(text: string): Choice[] {
  const project = useProjectId();
  const navigate = useNavigate();
  const level = useObjectLevels()('person')?.level ?? 'none';
  if (text === '' || level === 'none') return [];
  return [
    {
      id: 'find-person',
      label: `Find a person called “${text}”`,
      icon: UserSearch,
      choose: () => void navigate({ to: `/p/${project}/persons` as string, search: { search: text } as never }),
    },
  ];
}
