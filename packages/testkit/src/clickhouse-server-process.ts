import { resolveLibchdb } from 'chdb/libchdb';
import { DataType, load, open } from 'ffi-rs';
import { supplyInterserver } from './interserver.js';

/** Entry of the process that {@link startClickHouseServer} starts. Takes the arguments of clickhouse-local. */

// ends with the test run
process.stdin.on('close', () => process.kill(process.pid, 'SIGKILL')).resume();

open({ library: 'chdb', path: resolveLibchdb().path });
const { INTERSERVER_HOST, INTERSERVER_PORT } = process.env;
if (INTERSERVER_HOST) supplyInterserver(INTERSERVER_HOST, Number(INTERSERVER_PORT));
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
