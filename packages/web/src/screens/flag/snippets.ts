export type Sdk = 'html' | 'react' | 'react-native' | 'node' | 'curl';

export const SDKS: readonly { value: Sdk; label: string }[] = [
  { value: 'html', label: 'HTML' },
  { value: 'react', label: 'React' },
  { value: 'react-native', label: 'Native' },
  { value: 'node', label: 'Node.js' },
  { value: 'curl', label: 'curl' },
];

export interface SnippetOptions {
  key: string;
  /** The variant in the example; null: the flag has none. */
  variant: string | null;
  /** Only the payload matters. */
  isPayloadOnly: boolean;
  /** Address of this service. */
  host: string;
  /** Public key of the project. */
  projectKey: string;
}

/** How code evaluates a flag. */
export function snippetOf(sdk: Sdk, { key, variant, isPayloadOnly, host, projectKey }: SnippetOptions): string {
  switch (sdk) {
    case 'html':
      return isPayloadOnly
        ? `tidemark.onFeatureFlags(() => {
  const payload = tidemark.getFeatureFlagPayload('${key}');
});`
        : `tidemark.onFeatureFlags(() => {
  if (${variant === null ? `tidemark.isFeatureEnabled('${key}')` : `tidemark.getFeatureFlag('${key}') === '${variant}'`}) {
    // show it
  }
});`;
    case 'react':
    case 'react-native': {
      const hook = isPayloadOnly
        ? 'useFeatureFlagPayload'
        : variant === null
          ? 'useFeatureFlagEnabled'
          : 'useFeatureFlagVariantKey';
      const name = isPayloadOnly ? 'payload' : variant === null ? 'isOn' : 'variant';
      const use = isPayloadOnly ? '' : `\nif (${variant === null ? name : `${name} === '${variant}'`}) return <NewVersion />;`;
      return `import { ${hook} } from '@tidemark/${sdk}';

const ${name} = ${hook}('${key}');${use}`;
    }
    case 'node': {
      const call = isPayloadOnly
        ? `const result = await analytics.getFeatureFlagResult('${key}', 'user-1');
const payload = result?.payload;`
        : variant === null
          ? `const isOn = await analytics.isFeatureEnabled('${key}', 'user-1', { defaultValue: false });`
          : `const variant = await analytics.getFeatureFlag('${key}', 'user-1');
if (variant === '${variant}') {
  // show it
}`;
      return `import { init } from '@tidemark/node';

const analytics = init('${projectKey}', { host: '${host}' });
${call}`;
    }
    case 'curl':
      return `curl "${host}/flags/?v=2" -H 'Content-Type: application/json' \\
  -d '{"token": "${projectKey}", "distinct_id": "user-1"}'
# .flags["${key}"]`;
  }
}
