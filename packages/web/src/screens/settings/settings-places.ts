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
    places: [{ label: 'API keys', path: '/keys' }],
  },
  {
    group: 'You',
    places: [
      { label: 'Profile', path: '/profile' },
      { label: 'Security', path: '/security' },
    ],
  },
];
