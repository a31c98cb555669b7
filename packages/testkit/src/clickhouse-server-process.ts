import { resolveLibchdb } from 'chdb/libchdb';
import { DataType, load, open } from 'ffi-rs';
import { supplyInterserver } from './interserver.js';

/** Entry of the process that {@link startClickHouseServer} starts. Takes the arguments of clickhouse-local. */

// ends with the test run
process.stdin.on('close', () => process.kill(process.pid, 'SIGKILL')).resume();

open({ library: 'chdb', path: resolveLibchdb().path });
const { INTERSERVER_URL } = process.env;
if (INTERSERVER_URL) {
  const { protocol, hostname, port } = new URL(INTERSERVER_URL);
  supplyInterserver({ scheme: protocol === 'https:' ? 'https' : 'http', host: hostname, port: Number(port) });
}
const args = [
  'clickhouse',
  ...process.argv.slice(2),
  // the listeners live as long as the last statement runs
  '--query=SYSTEM START LISTEN HTTP; SYSTEM START LISTEN TCP; SELECT sleepEachRow(3) FROM numbers(1000000000) SETTINGS max_block_size = 1 FORMAT Null',
];
await load({
  library: 'chdb',
  funcName: 'query_stable_v2',
  retType: DataType.External,
  paramsType: [DataType.I32, DataType.StringArray],
  paramsValue: [args.length, args],
  // returns only after the last statement
  runInNewThread: true,
});
