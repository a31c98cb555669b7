import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { eventually } from '@tidemark/testkit';

const SERVER = fileURLToPath(new URL('baseline-server.ts', import.meta.url));

/** Starts the baseline server, which reads and answers but stores nothing, as a separate process. */
export async function startBaseline(): Promise<{ port: number; stop(): void }> {
  const port = 17_000 + Math.floor(Math.random() * 1_000);
  const child = spawn(process.execPath, ['--import', 'tsx', SERVER], {
    env: { ...process.env, PORT: String(port), HOST: '127.0.0.1' },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  await eventually(() => fetch(`http://127.0.0.1:${port}/_liveness`), { within: 20_000 });
  return { port, stop: () => child.kill('SIGTERM') };
}
