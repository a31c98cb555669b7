import { Writable } from 'node:stream';
import { destination, type Logger, type LoggerOptions, pino } from 'pino';
import type { Config } from '../config.js';
import { type Output, paintFor } from './colors.js';

/** What a start and a stop tell, in a form for its reader: a person at a terminal, or a program that reads lines. */
export interface StartScreen {
  log: Logger;
  /** A part of the start is done. */
  done(part: string): void;
  /** The service listens. `hasAccount`: whether somebody has signed up. */
  listening(url: string, hasAccount: boolean): void;
  /** A stop begins. */
  stopping(): void;
  /** Everything is stored and closed. */
  stopped(): void;
}

/**
 * A terminal gets short lines, and of the log only warnings and errors; `TIDEMARK_LOG_LEVEL` asks for the log itself. Files and pipes get
 * JSON lines alone.
 */
export function createStartScreen(
  config: Config,
  { output, version, hasLogLevel }: { output: Output; version: string; hasLogLevel: boolean },
): StartScreen {
  const base: LoggerOptions = { level: config.logLevel, base: null };
  if (output.isTTY && !hasLogLevel) return forPeople(config, output, version, base);
  const log = pino(base, destination({ sync: false }));
  return output.isTTY ? forBoth(config, output, log) : forPrograms(config, log);
}

function forPeople(config: Config, output: Output, version: string, base: LoggerOptions): StartScreen {
  const paint = paintFor(output);
  const say = (line = '') => output.write(`${line}\n`);
  const began = performance.now();
  const stream = new Writable({
    write(chunk, _encoding, done) {
      for (const line of String(chunk).split('\n').filter(Boolean)) say(problem(line, paint));
      done();
    },
  });
  say(`${paint('bold', 'Tidemark')} ${version} starts`);
  return {
    log: pino({ ...base, level: 'warn' }, stream),
    done: (part) => say(`  ${paint('green', 'ready')}  ${part}`),
    listening(url, hasAccount) {
      const seconds = ((performance.now() - began) / 1000).toFixed(1);
      say(`  ${paint('green', 'ready')}  Tidemark, after ${seconds} s\n`);
      say(`  ${paint(['bold', 'cyan'], url)}\n`);
      say(hasAccount ? '  Open it in a browser to log in.' : '  Open it in a browser to make the first account.');
      say(`  Data: ${placeOf(config)}`);
      say(`  API reference: ${url}/api/schema/ui/`);
      say(`  ${paint('dim', 'Ctrl+C stops Tidemark. TIDEMARK_LOG_LEVEL=info shows each request.')}\n`);
    },
    stopping: () => say('\nTidemark stops: it stores what it has received.'),
    stopped: () => say('Tidemark has stopped. Everything that it received is stored.'),
  };
}

/** Says a line of the log in words. */
function problem(line: string, paint: ReturnType<typeof paintFor>): string {
  const { level, msg, time: _time, ...details } = JSON.parse(line) as { level: number; msg?: string; time?: number };
  const word = level >= 50 ? paint('red', 'error') : paint('yellow', 'warning');
  const more = Object.keys(details).length ? ` ${paint('dim', JSON.stringify(details))}` : '';
  return `  ${word}  ${msg ?? ''}${more}`;
}

/** The log at a terminal, and lines for a person between it. */
function forBoth(config: Config, output: Output, log: Logger): StartScreen {
  const say = (line: string) => output.write(`${line}\n`);
  return {
    log,
    done: () => {},
    listening(url, hasAccount) {
      say(`Tidemark listens on ${url}`);
      say(`API reference: ${url}/api/schema/ui/`);
      say(`Data: ${placeOf(config)}`);
      if (!hasAccount) say(`No account yet: open ${url} in a browser to make the first one.`);
    },
    stopping: () => {},
    stopped: () => say('Tidemark has stopped.'),
  };
}

/** JSON lines and nothing else. */
function forPrograms(config: Config, log: Logger): StartScreen {
  return {
    log,
    done: () => {},
    listening(url, hasAccount) {
      log.info({ url, api_reference: `${url}/api/schema/ui/`, data: placeOf(config) }, 'Tidemark is ready');
      if (hasAccount) return;
      const commands = firstCommands(url);
      log.info({ commands }, `no account yet: open ${url} in a browser, or make the first one and its keys by these commands`);
    },
    stopping: () => {},
    stopped: () => log.info('Tidemark has stopped'),
  };
}

/** Commands that make the first account and a personal API key, and show the project, whose "api_token" is the key for events. */
const firstCommands = (url: string): string[] => [
  `curl ${url}/api/signup/ -c cookies.txt -H 'Content-Type: application/json' -d '{"email":"you@example.com","password":"<a long password>","first_name":"You","organization_name":"Your company"}'`,
  `curl ${url}/api/personal_api_keys/ -b cookies.txt -H 'Content-Type: application/json' -d '{"label":"Mine","scopes":["*"]}'`,
  `curl ${url}/api/projects/@current/ -b cookies.txt`,
];

const placeOf = ({ databaseUrl, clickhouseUrl, s3, dataDir }: Config): string =>
  databaseUrl && clickhouseUrl && s3 ? 'on the given servers' : dataDir;
