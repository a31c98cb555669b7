import { readFileSync, statSync } from 'node:fs';
import { resolveLibchdb } from 'chdb/libchdb';
import { DataType, load, open } from 'ffi-rs';

/*
 * The library of the embedded engine has ClickHouse's replication, but nothing in it sets the address, the credentials and the listener
 * by which replicas copy parts from each other. Some machine code in memory supplies them. Its places are those of one build.
 */

/** Bytes of the build whose places these are. */
const BUILD_SIZE = 566_330_096;
/** Function that returns the interserver address, the call of the factory of HTTP handlers, that factory, and the name of the handler. */
const ADDRESS = 0x1417c9c0n;
const FACTORY_CALL = 0xf117ff6n;
const FACTORY = 0x18395cc0n;
const HANDLER_NAME = 0x1e0a3a0n;
/** Function that returns the interserver credentials. */
const CREDENTIALS = 0x1417c940n;

/** Whether the installed library is the build that can be completed. */
export const canReplicate = (): boolean =>
  process.platform === 'linux' && process.arch === 'x64' && statSync(resolveLibchdb().path).size === BUILD_SIZE;

const call = (library: string, funcName: string, retType: DataType, paramsType: DataType[], paramsValue: unknown[]): unknown =>
  load({ library, funcName, retType, paramsType, paramsValue } as Parameters<typeof load>[0]);

/** Where other replicas get the parts of a server. */
export interface InterserverAddress {
  scheme: 'http' | 'https';
  host: string;
  port: number;
}

/** Lets the loaded library serve its parts at an address. The second listener for HTTP that is started becomes the one for replicas. */
export function supplyInterserver(address: InterserverAddress): void {
  open({ library: 'c', path: 'libc.so.6' });
  // loads the library
  call('chdb', 'chdb_version', DataType.String, [], []);
  const line = readFileSync('/proc/self/maps', 'utf8')
    .split('\n')
    .find((mapping) => mapping.includes('libchdb.so'));
  const base = BigInt(`0x${line?.split('-')[0]}`);

  const poke = (place: bigint, bytes: Buffer) => {
    const address = base + place;
    const page = address & ~0xfffn;
    const length = (address - page + BigInt(bytes.length) + 0xfffn) & ~0xfffn;
    const types = [DataType.BigInt, DataType.BigInt, DataType.I32];
    // readable, writable, executable
    if (call('c', 'mprotect', DataType.I32, types, [page, length, 7])) throw new Error('mprotect failed');
    copy(address, bytes);
  };

  poke(ADDRESS, addressCode(base, address));
  const jump = Buffer.from([0xe8, 0, 0, 0, 0]);
  jump.writeInt32LE(Number(ADDRESS + BigInt(CHOICE) - (FACTORY_CALL + 5n)), 1);
  poke(FACTORY_CALL, jump);

  // an empty user and password, and a list of those allowed that has these
  const memory = call('c', 'calloc', DataType.BigInt, [DataType.BigInt, DataType.BigInt], [1n, 256n]) as bigint;
  const credentials = Buffer.alloc(256);
  credentials.writeBigUInt64LE(memory + 128n, 48);
  credentials.writeBigUInt64LE(memory + 176n, 56);
  credentials.writeBigUInt64LE(memory + 176n, 64);
  copy(memory, credentials);
  const returnCredentials = Buffer.from([0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0x31, 0xd2, 0xc3]);
  returnCredentials.writeBigUInt64LE(memory, 2);
  poke(CREDENTIALS, returnCredentials);
}

const copy = (address: bigint, bytes: Buffer): unknown =>
  call(
    'c',
    'memcpy',
    DataType.External,
    [DataType.BigInt, DataType.U8Array, DataType.BigInt],
    [address, bytes, BigInt(bytes.length)],
  );

/** Places within the code of {@link addressCode}. */
const CHOICE = 0x60;
const FLAG = 0x90;
const NAME = 0xa0;

/** Machine code: returns scheme, host and port; behind it, chooses every second time the name of the interserver handler. */
function addressCode(base: bigint, { scheme, host, port }: InterserverAddress): Buffer {
  const code = Buffer.alloc(0xd0, 0xcc);
  let at = 0;
  const emit = (...bytes: number[]) => {
    for (const byte of bytes) code[at++] = byte;
  };
  const relative = (place: number) => {
    at = code.writeInt32LE(place, at);
  };
  // the text "http", maybe an "s", and its length
  emit(0x48, 0x8b, 0x06, 0xc7, 0x80, 0x70, 0x01, 0, 0, 0x68, 0x74, 0x74, 0x70);
  if (scheme === 'https') emit(0xc6, 0x80, 0x74, 0x01, 0, 0, 0x73);
  emit(0xc6, 0x80, 0x87, 0x01, 0, 0, scheme.length);
  const text = Buffer.alloc(24);
  text.write(host, 0, 'latin1');
  text[23] = host.length;
  for (let word = 0; word < 3; word++) emit(0x48, 0xb8, ...text.subarray(word * 8, word * 8 + 8), 0x48, 0x89, 0x47, word * 8);
  emit(0x66, 0xc7, 0x47, 0x18, port & 255, port >> 8, 0x48, 0x89, 0xf8, 0xc3);

  at = CHOICE;
  // mov al, [flag]; xor byte [flag], 1; test al, al; je +7; lea rcx, [name]; jmp factory
  emit(0x8a, 0x05);
  relative(FLAG - (at + 4));
  emit(0x80, 0x35);
  relative(FLAG - (at + 5));
  emit(1, 0x84, 0xc0, 0x74, 0x07, 0x48, 0x8d, 0x0d);
  relative(NAME - (at + 4));
  emit(0xe9);
  relative(Number(FACTORY - (ADDRESS + BigInt(at) + 4n)));
  code[FLAG] = 0;
  code.writeBigUInt64LE(base + HANDLER_NAME, NAME);
  code.writeBigUInt64LE(0x20n, NAME + 8);
  code.writeBigUInt64LE(0x8000000000000021n, NAME + 16);
  return code;
}
