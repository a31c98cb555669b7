/** A page of the settings. */
export interface SettingsPlace {
  label: string;
  /** Path below `/p/:project/settings`. */
  path: `/${string}`;
}

/** The pages in order, in four groups. `group`: its heading; the first one is called like the project. */
export const SETTINGS: readonly { group: string | null; places: readonly SettingsPlace[] }[] = [
  {
    group: null,
    places: [
      { label: 'General', path: '/project' },
      { label: 'Members and access', path: '/members' },
      { label: 'Access rules', path: '/access' },
      { label: 'API keys', path: '/keys' },
      { label: 'Test accounts', path: '/test-accounts' },
      { label: 'Capture', path: '/capture' },
      { label: 'Recording', path: '/recording' },
      { label: 'Addresses', path: '/addresses' },
    ],
  },
  {
    group: 'Organization',
    places: [
      { label: 'General', path: '/organization' },
      { label: 'Projects', path: '/projects' },
      { label: 'Roles', path: '/roles' },
    ],
  },
  { group: 'This server', places: [{ label: 'Health', path: '/health' }] },
  {
    group: 'You',
    places: [
      { label: 'Profile', path: '/profile' },
      { label: 'Security', path: '/security' },
    ],
  },
];
