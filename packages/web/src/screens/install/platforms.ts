export type Platform = 'html' | 'react' | 'nextjs' | 'node' | 'react-native' | 'curl' | 'posthog';

/** The platforms in the order of the tabs. */
export const PLATFORMS: readonly { id: Platform; label: string }[] = [
  { id: 'html', label: 'HTML' },
  { id: 'react', label: 'React' },
  { id: 'nextjs', label: 'Next.js' },
  { id: 'node', label: 'Node.js' },
  { id: 'react-native', label: 'React Native' },
  { id: 'curl', label: 'curl' },
  { id: 'posthog', label: 'I use posthog-js already' },
];
