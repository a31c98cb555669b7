import { readFile, stat, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Config } from '../../config.js';
import { machineMemory } from '../../machine-memory.js';
import type { Clock } from '../../ports/system.js';
import { type Finding, fault, ok, warning } from './finding.js';

const GB = 1024 ** 3;
/** Memory that the service and PostgreSQL need beside the event engine. */
const BESIDE_ENGINE = GB;
/** Below this, capture answers 503. */
const FULL = 32 * 1024 ** 2;
const SCARCE = 2 * GB;
/** Open files that a service with some thousand clients needs. */
const OPEN_FILES = 4_096;
/** How far in the future a file may be before the clock must have been set back; milliseconds. */
const TOLERANCE_MS = 60_000;

const gb = (bytes: number): string => `${(bytes / GB).toFixed(1)} GB`;

/** The last days on which versions of Node.js get fixes, as its project has announced them; odd versions have half a year. */
const NODE_ENDS: Readonly<Record<number, string>> = {
  20: '2026-04-30',
  21: '2024-06-01',
  22: '2027-04-30',
  23: '2025-06-01',
  24: '2028-04-30',
  25: '2026-06-01',
  26: '2029-04-30',
};
/** How long before its end a version of Node.js is worth a warning; milliseconds. */
const NODE_NOTICE_MS = 90 * 86_400_000;

/**
 * The platform and the version of Node.js.
 * @param node the version of Node.js
 */
export function checkVersions(version: string, clock: Clock, node: string = process.versions.node): Finding {
  const [major = 0, minor = 0] = node.split('.').map(Number);
  const text = `Tidemark ${version}, Node.js ${node}, ${process.platform} ${process.arch}`;
  if (major < 20 || (major === 20 && minor < 19)) return fault('versions', text, 'Install Node.js 20.19 or newer.');
  const end = NODE_ENDS[major];
  const left = end ? Date.parse(`${end}T23:59:59Z`) - clock.now() : Number.POSITIVE_INFINITY;
  if (left > NODE_NOTICE_MS) return ok('versions', text);
  const remedy = 'Install a newer even version of Node.js: Tidemark runs on this one, but faults in it stay.';
  return warning('versions', `${text}, which ${left < 0 ? 'has had no fixes since' : 'gets fixes only until'} ${end}`, remedy);
}

/** Memory of the machine or container. */
export function checkMemory({ clickhouseUrl, engineMemory }: Config): Finding {
  const memory = machineMemory();
  const needed = clickhouseUrl ? BESIDE_ENGINE : engineMemory + BESIDE_ENGINE;
  // a machine sold with 2 GB shows somewhat less
  if (memory >= needed * 0.9) return ok('memory', gb(memory));
  return warning(
    'memory',
    `${gb(memory)}, and all processes may use ${gb(needed)}`,
    'Lower TIDEMARK_ENGINE_MEMORY_MB, or give the machine more memory or swap.',
  );
}

/** Free space on the disk of the data directory. */
export async function checkDisk({ dataDir }: Config): Promise<Finding> {
  const { bavail, bsize } = await statfs(await existingParent(dataDir));
  const free = bavail * bsize;
  const text = `${gb(free)} free for ${dataDir}`;
  const remedy = 'Make room on this disk, or move TIDEMARK_DATA to another one: without space no event is stored.';
  if (free < FULL) return fault('disk', text, remedy);
  return free < SCARCE ? warning('disk', text, remedy) : ok('disk', text);
}

/** Whether the clock was set back: files of the data directory would be from the future. */
export async function checkClock({ dataDir }: Config, clock: Clock): Promise<Finding> {
  const now = clock.now();
  const paths = [dataDir, ...['events', 'events-log', 'blobs', 'postgres'].map((part) => join(dataDir, part))];
  const times = await Promise.all(
    paths.map((path) =>
      stat(path).then(
        ({ mtimeMs }) => mtimeMs,
        () => 0,
      ),
    ),
  );
  const newest = Math.max(...times);
  const text = new Date(now).toISOString();
  if (newest <= now + TOLERANCE_MS) return ok('clock', text);
  return warning(
    'clock',
    `${text}, but data was written at ${new Date(newest).toISOString()}`,
    'Set the clock, and keep it right by NTP (timedatectl set-ntp true): events get the time of their arrival.',
  );
}

/** The limit of open files, which Node.js raises to the hard limit at its start. */
export async function checkOpenFiles(): Promise<Finding> {
  const limits = await readFile('/proc/self/limits', 'utf8').catch(() => '');
  const [, hard] = /^Max open files\s+\S+\s+(\S+)/m.exec(limits) ?? [];
  if (hard === undefined) return ok('open files', 'the limit cannot be read on this platform');
  if (hard === 'unlimited' || Number(hard) >= OPEN_FILES) return ok('open files', `up to ${hard}`);
  return warning(
    'open files',
    `up to ${hard}`,
    `Raise the hard limit to ${OPEN_FILES} or more: LimitNOFILE=65536 in the systemd unit, or ulimits in compose.yaml.`,
  );
}

/** The path itself, or the nearest folder above it that exists. */
async function existingParent(path: string): Promise<string> {
  const exists = await stat(path).then(
    () => true,
    () => false,
  );
  return exists || path === dirname(path) ? path : existingParent(dirname(path));
}
