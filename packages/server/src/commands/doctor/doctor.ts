import { Command } from 'commander';
import { type Config, loadConfig } from '../../config.js';
import { paintFor } from '../../terminal/colors.js';
import { VERSION } from '../../version.js';
import { type CommandIo, print } from '../command-io.js';
import type { Finding } from './finding.js';

const COLOR = { ok: 'green', warning: 'yellow', fault: 'red' } as const;

/** `tidemark doctor`: checks machine, settings and stores. */
export const doctorCommand = (io: CommandIo): Command =>
  new Command('doctor')
    .description('check the machine, the settings and the stores, and say what to do')
    .addHelpText(
      'after',
      `
Run it as the user of the service, with its settings. The service may run or not. The exit code is 1 if something stops the service;
warnings do not count.`,
    )
    .action(async () => {
      const findings = await examine(loadConfig(io.env));
      const paint = paintFor(io.output);
      for (const { name, state, text, remedy } of findings) {
        print(io, `${paint(COLOR[state], state.padEnd(8))}${name.padEnd(16)}${text}`);
        if (remedy) print(io, `${' '.repeat(24)}${remedy}`);
      }
      const faults = findings.filter(({ state }) => state === 'fault').length;
      if (faults > 0) throw new Error(`Tidemark cannot run as it should: ${faults} ${faults === 1 ? 'fault' : 'faults'}.`);
    });

async function examine(config: Config): Promise<Finding[]> {
  const [machine, stores, space, { systemClock }] = await Promise.all([
    import('./machine.js'),
    import('./stores.js'),
    import('./space.js'),
    import('../../adapters/system/index.js'),
  ]);
  // the data directory first: it is created if it is missing
  const places = await stores.checkDirectoryAndPort(config);
  return [
    machine.checkVersions(VERSION, systemClock),
    machine.checkMemory(config),
    await machine.checkOpenFiles(),
    await machine.checkClock(config, systemClock),
    await machine.checkDisk(config),
    ...places,
    ...(await stores.checkStores(config)),
    ...(await space.checkSpace(config, systemClock)),
  ];
}
