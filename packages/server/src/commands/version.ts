import { Command } from 'commander';
import { VERSION } from '../version.js';
import { type CommandIo, print } from './command-io.js';

/** `tidemark version`: the versions that a report of a fault should name. */
export const versionCommand = (io: CommandIo): Command =>
  new Command('version').description('print the versions of Tidemark and of what it runs on').action(() => {
    print(io, `Tidemark ${VERSION}, Node.js ${process.versions.node}, ${process.platform} ${process.arch}`);
  });
