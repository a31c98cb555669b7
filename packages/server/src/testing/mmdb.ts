import type { Json } from '../kernel/json.js';

const METADATA_MARK = Buffer.concat([Buffer.from([0xab, 0xcd, 0xef]), Buffer.from('MaxMind.com')]);
/** Bytes of zeros between the tree and the data. */
const GAP = 16;
const NOTHING = -1;

/**
 * A database of addresses in the MaxMind DB format 2.0, IPv4 with records of 24 bits: what is known of each network of 16 bits, such
 * as `81.2`.
 */
export function mmdb(places: Record<string, Json>): Buffer {
  const data = Object.values(places).map(encode);
  // two branches a node: a number of a node, NOTHING, or a leaf as a negative number below that
  const nodes: [number, number][] = [[NOTHING, NOTHING]];
  let offset = 0;
  for (const [index, network] of Object.keys(places).entries()) {
    const [high = 0, low = 0] = network.split('.').map(Number);
    const bits = [...(high * 256 + low).toString(2).padStart(16, '0')].map((bit) => (bit === '1' ? 1 : 0));
    const last = bits.pop() ?? 0;
    let node = nodes[0];
    for (const bit of bits) {
      if (node?.[bit] === NOTHING) node[bit] = nodes.push([NOTHING, NOTHING]) - 1;
      node = nodes[node?.[bit] ?? 0];
    }
    if (node) node[last] = NOTHING - 1 - offset;
    offset += data[index]?.length ?? 0;
  }
  const records = nodes.flat().map((branch) => {
    const value = branch > NOTHING ? branch : branch === NOTHING ? nodes.length : nodes.length + GAP + NOTHING - 1 - branch;
    return Buffer.from([value >> 16, (value >> 8) & 255, value & 255]);
  });
  const metadata = encode({
    binary_format_major_version: 2,
    binary_format_minor_version: 0,
    build_epoch: 1,
    database_type: 'City',
    description: { en: 'A few places' },
    ip_version: 4,
    languages: ['en'],
    node_count: nodes.length,
    record_size: 24,
  });
  return Buffer.concat([...records, Buffer.alloc(GAP), ...data, METADATA_MARK, metadata]);
}

/** A value of the data section: whole numbers as four bytes, others as doubles. */
function encode(value: Json): Buffer {
  if (typeof value === 'string') return Buffer.concat([head(2, Buffer.byteLength(value)), Buffer.from(value)]);
  if (typeof value === 'number') {
    const bytes = Buffer.alloc(Number.isInteger(value) ? 4 : 8);
    if (Number.isInteger(value)) bytes.writeUInt32BE(value);
    else bytes.writeDoubleBE(value);
    return Buffer.concat([head(Number.isInteger(value) ? 6 : 3, bytes.length), bytes]);
  }
  if (Array.isArray(value)) return Buffer.concat([head(11, value.length), ...value.map(encode)]);
  const members = Object.entries(value ?? {});
  return Buffer.concat([head(7, members.length), ...members.flatMap(([name, of]) => [encode(name), encode(of)])]);
}

/** Type and size; types beyond the seventh stand in a byte of their own. */
const head = (type: number, size: number): Buffer =>
  type > 7 ? Buffer.from([size, type - 7]) : Buffer.from(size < 29 ? [(type << 5) | size] : [(type << 5) | 29, size - 29]);
