import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { ComponentType } from 'react';
import { act, create, type Renderer } from 'react-test-renderer';
import ts from 'typescript';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';

/* Runs the code of docs/guide/react-native.md, with stand-ins for the modules of the platform. */
const PAGE = new URL('../../../docs/guide/react-native.md', import.meta.url);
const STUBS = {
  'react-native': `export const View = 'view-host', Text = 'text-host', Platform = { OS: 'ios', Version: 18 };
    export const AppState = { addEventListener: () => ({ remove() {} }) };`,
  '@react-native-async-storage/async-storage': `const all = new Map();
    export default { getItem: async (key) => all.get(key) ?? null, setItem: async (key, text) => void all.set(key, text), removeItem: async (key) => void all.delete(key) };`,
  '@react-native-community/netinfo': 'export default { addEventListener: () => () => {} };',
  '@posthog/react-native-plugin': `const note = (call) => async (...given) => void (globalThis.recorder ??= []).push([call, ...given]);
    export default { setup: note('setup'), identify: note('identify'), startRecording: note('startRecording'), setOptOut: note('setOptOut'),
      isEnabled: async () => false };`,
  '@react-navigation/native': `import { useEffect } from 'react';
    export const useNavigationContainerRef = () => ({ getCurrentRoute: () => ({ name: 'Cart' }) });
    export const NavigationContainer = ({ onReady }) => { useEffect(onReady, [onReady]); return null; };`,
};

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });

let folder: string;
const bodies: string[] = [];
const traced: string[] = [];
beforeAll(async () => {
  // beside the package, so that what it imports is found
  folder = await mkdtemp(fileURLToPath(new URL('../dist/guide-', import.meta.url)));
  vi.stubGlobal('fetch', async (url: string, { body, headers }: { body?: string; headers?: HeadersInit }) => {
    if (body) bodies.push(body);
    if (new Headers(headers).has('X-POSTHOG-DISTINCT-ID')) traced.push(url);
    return new Response(url.includes('/array/') ? '{"sessionRecording":{}}' : '{"status":"Ok"}');
  });
});
afterAll(async () => {
  vi.unstubAllGlobals();
  await rm(folder, { recursive: true, force: true });
});

interface Shown {
  App?: ComponentType;
  sent?: Promise<unknown>;
}

async function load(code: string, name: string): Promise<Shown> {
  const { outputText } = ts.transpileModule(code, {
    compilerOptions: { jsx: ts.JsxEmit.ReactJSX, target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.ESNext },
  });
  let script = outputText;
  for (const [module, stub] of Object.entries(STUBS)) {
    const file = join(folder, `${module.replaceAll(/\W/g, '-')}.mjs`);
    await writeFile(file, stub);
    script = script.replaceAll(`'${module}'`, `'${pathToFileURL(file)}'`);
  }
  await writeFile(join(folder, name), script);
  return import(join(folder, name));
}

test('the examples in docs/guide/react-native.md run', async () => {
  const blocks = [...(await readFile(PAGE, 'utf8')).matchAll(/^```tsx\n([\s\S]*?)^```/gm)].map(([, code = '']) => code);
  const texts: string[] = [];
  for (const [i, code] of blocks.entries()) {
    const { App, sent } = await load(code, `block-${i}.mjs`);
    await sent;
    if (!App) continue;
    let renderer: Renderer | undefined;
    await act(async () => {
      renderer = create(<App />);
    });
    texts.push(JSON.stringify(renderer?.toJSON()));
    act(() => renderer?.unmount());
  }
  expect(texts).toEqual([
    expect.stringContaining('Checkout'),
    'null',
    expect.stringContaining('Nothing here'),
    expect.stringContaining('Spring has come'),
  ]);
  for (const event of ['$screen', 'order placed', '$identify']) expect(bodies.join()).toContain(`"event":"${event}"`);
  expect(traced).toEqual(['https://api.example.com/orders']);
  await vi.waitFor(() => expect(Reflect.get(globalThis, 'recorder')).toContainEqual(['startRecording', true]));
  expect(Reflect.get(globalThis, 'recorder')[0]).toMatchObject([
    'setup',
    expect.any(String),
    { apiKey: 'tmk_recording_project_key', host: 'https://analytics.example.com' },
    { sessionReplay: { sdkReplayConfig: { maskAllTextInputs: true, maskAllImages: false } } },
  ]);
  expect(blocks).toHaveLength(7);
});
