import {
  Activity,
  BookOpen,
  Building2,
  ChartLine,
  Download,
  Flag,
  FlaskConical,
  History,
  House,
  Layers,
  LayoutDashboard,
  type LucideIcon,
  Megaphone,
  MessageSquare,
  Play,
  SquareTerminal,
  Users,
} from 'lucide-react';

export interface Place {
  label: string;
  icon: LucideIcon;
  /** Path below the project; empty: the project itself. */
  path: '' | `/${string}`;
  /** The second key of "G then …". */
  key: string;
  /** Whether it is one of the four places of the tab bar on phones. */
  isOnPhone?: boolean;
}

/** The places of the navigation in order, by group. */
export const PLACES: readonly { group: string | null; places: readonly Place[] }[] = [
  {
    group: null,
    places: [
      { label: 'Home', icon: House, path: '', key: 'h', isOnPhone: true },
      { label: 'Events', icon: Activity, path: '/events', key: 'e', isOnPhone: true },
      { label: 'Dashboards', icon: LayoutDashboard, path: '/dashboards', key: 'd', isOnPhone: true },
      { label: 'Insights', icon: ChartLine, path: '/insights', key: 'i', isOnPhone: true },
    ],
  },
  {
    group: 'People',
    places: [
      { label: 'Persons', icon: Users, path: '/persons', key: 'p' },
      { label: 'Cohorts', icon: Layers, path: '/cohorts', key: 'c' },
      { label: 'Groups', icon: Building2, path: '/groups', key: 'u' },
      { label: 'Recordings', icon: Play, path: '/recordings', key: 'r' },
    ],
  },
  {
    group: 'Ship',
    places: [
      { label: 'Flags', icon: Flag, path: '/flags', key: 'f' },
      { label: 'Experiments', icon: FlaskConical, path: '/experiments', key: 'x' },
      { label: 'Surveys', icon: Megaphone, path: '/surveys', key: 'v' },
    ],
  },
  {
    group: 'Data',
    places: [
      { label: 'SQL', icon: SquareTerminal, path: '/sql', key: 'q' },
      { label: 'Definitions', icon: BookOpen, path: '/definitions', key: 'n' },
      { label: 'Annotations', icon: MessageSquare, path: '/annotations', key: 't' },
      { label: 'Activity', icon: History, path: '/activity', key: 'l' },
      { label: 'Exports', icon: Download, path: '/exports', key: 'o' },
    ],
  },
];
