// Writes packages/charts/src/kinds/world-shapes.ts, the outlines of countries for world maps, from the package world-atlas (Natural Earth).
// node scripts/world-map.mjs [--tolerance 0.9]
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { parseArgs } from 'node:util';

/** @typedef {readonly [number, number]} Point */
/** @typedef {readonly number[]} Indices */
/** @typedef {{ id?: string, type: string, arcs: any, properties: { name: string } }} Country `arcs`: indices by ring, for several polygons a list of these */
/** @typedef {{ arcs: Point[][], transform: { scale: Point, translate: Point }, objects: { countries: { geometries: Country[] } } }} Topology */

const TARGET = new URL('../packages/charts/src/kinds/world-shapes.ts', import.meta.url);
/** Width of the map; the unit of all coordinates. */
const WIDTH = 1000;
/** Islands with a smaller area are dropped, unless they are the largest part of their country. */
const LEAST_AREA = 4;

const { values } = parseArgs({ options: { tolerance: { type: 'string', default: '0.9' } } });
const tolerance = Number(values.tolerance);
const require = createRequire(import.meta.url);
/** @type {(name: string) => Topology} */
const atlas = (name) => JSON.parse(readFileSync(require.resolve(`world-atlas/${name}.json`), 'utf8'));

/**
 * The Natural Earth projection.
 * @param {Point} point longitude and latitude
 * @returns {Point}
 */
function projected([longitude, latitude]) {
  const [l, p] = [(longitude * Math.PI) / 180, (latitude * Math.PI) / 180];
  const [p2, p4] = [p ** 2, p ** 4];
  const x = l * (0.8707 - 0.131979 * p2 + p4 * (-0.013791 + p4 * (0.003971 * p2 - 0.001529 * p4)));
  const y = p * (1.007226 + p2 * (0.015085 + p4 * (-0.044475 + 0.028874 * p2 - 0.005916 * p4)));
  return [x, y];
}

const left = projected([-180, 0])[0];
const top = projected([0, 83.7])[1];
const bottom = projected([0, -56])[1];
const unit = WIDTH / (-2 * left);

/** @type {(point: Point) => Point} */
const placed = (point) => {
  const [x, y] = projected(point);
  return [(x - left) * unit, (top - y) * unit];
};

/**
 * Decodes the arcs of a topology, quantized differences, to longitudes and latitudes.
 * @param {Topology} topology
 */
function arcsOf({ arcs, transform: { scale, translate } }) {
  return arcs.map((arc) => {
    let [x, y] = [0, 0];
    return unwrapped(
      arc.map(([dx, dy]) => {
        x += dx;
        y += dy;
        return [x * scale[0] + translate[0], y * scale[1] + translate[1]];
      }),
    );
  });
}

/**
 * Lets a line that crosses the date line go on beyond 180 degrees.
 * @param {readonly Point[]} line
 * @returns {Point[]}
 */
function unwrapped(line) {
  let [shift, before] = [0, line[0]?.[0] ?? 0];
  return line.map(([longitude, latitude]) => {
    if (Math.abs(longitude - before) > 180) shift += longitude > before ? -360 : 360;
    before = longitude;
    return [longitude + shift, latitude];
  });
}

/**
 * The parts of a ring on both sides of the date line.
 * @param {readonly Point[]} ring
 * @returns {(readonly Point[])[]}
 */
function cut(ring) {
  const longitudes = ring.map(([longitude]) => longitude);
  const side = Math.max(...longitudes) > 180 ? 180 : Math.min(...longitudes) < -180 ? -180 : null;
  if (side === null) return [ring];
  /** @type {(isInside: (longitude: number) => boolean) => Point[]} */
  const half = (isInside) =>
    ring.flatMap((point, i) => {
      const next = ring[(i + 1) % ring.length] ?? point;
      const own = isInside(point[0]) ? [point] : [];
      if (isInside(point[0]) === isInside(next[0])) return own;
      const share = (side - point[0]) / (next[0] - point[0]);
      /** @type {Point} */
      const crossing = [side, point[1] + share * (next[1] - point[1])];
      return [...own, crossing];
    });
  const west = half((longitude) => longitude <= side);
  const east = half((longitude) => longitude > side);
  /** @type {(part: Point[], by: number) => Point[]} */
  const moved = (part, by) => part.map(([longitude, latitude]) => [longitude + by, latitude]);
  return side > 0 ? [west, moved(east, -360)] : [moved(west, 360), east];
}

/**
 * Douglas-Peucker. Neighbors share arcs, so that their border stays one line.
 * @param {readonly Point[]} line
 * @returns {Point[]}
 */
function simplified(line) {
  const [first, last] = [line[0], line.at(-1)];
  if (!first || !last) return [];
  let [farthest, most] = [0, 0];
  for (const [i, point] of line.entries()) {
    const distance = offLine(placed(point), placed(first), placed(last));
    if (distance > most) [farthest, most] = [i, distance];
  }
  if (most <= tolerance) return [first, last];
  return [...simplified(line.slice(0, farthest + 1)).slice(0, -1), ...simplified(line.slice(farthest))];
}

/** @type {(point: Point, from: Point, to: Point) => number} */
function offLine([x, y], [ax, ay], [bx, by]) {
  const length = Math.hypot(bx - ax, by - ay);
  return length === 0 ? Math.hypot(x - ax, y - ay) : Math.abs((bx - ax) * (ay - y) - (ax - x) * (by - ay)) / length;
}

/**
 * The rings of a polygon's outline, in whole units of the map.
 * @param {readonly Point[][]} arcs
 * @param {Indices} indices a negative one is the complement of an arc in reverse
 * @returns {Point[][]}
 */
function ringsOf(arcs, indices) {
  const line = indices.flatMap((index) => (index < 0 ? [...(arcs[~index] ?? [])].reverse() : (arcs[index] ?? [])).slice(1));
  return cut(unwrapped(line)).map((ring) =>
    ring.map((point) => {
      const [x, y] = placed(point);
      return [Math.round(x), Math.round(y)];
    }),
  );
}

/** @type {(ring: readonly Point[]) => number} */
const areaOf = (ring) =>
  Math.abs(
    ring.reduce((sum, [x, y], i) => {
      const [nextX, nextY] = ring[(i + 1) % ring.length] ?? [0, 0];
      return sum + x * nextY - nextX * y;
    }, 0),
  ) / 2;

/**
 * `M12 34l5-6…z`, with whole relative coordinates.
 * @param {readonly Point[]} ring
 */
function pathOf(ring) {
  const steps = [];
  let [x, y] = ring[0] ?? [0, 0];
  const start = `${x} ${y}`;
  for (const [nextX, nextY] of ring.slice(1)) {
    if (nextX === x && nextY === y) continue;
    steps.push(nextX - x, nextY - y);
    [x, y] = [nextX, nextY];
  }
  return `M${start}l${steps.join(' ').replaceAll(' -', '-')}z`;
}

/** @type {(country: Country) => Indices[][]} */
const polygonsOf = ({ type, arcs }) => (type === 'Polygon' ? [arcs] : type === 'MultiPolygon' ? arcs : []);

/** Places without a code of ISO 3166 in the atlas. Kosovo has the code that databases of addresses use. */
const CODES = new Map([
  ['Kosovo', 'XK'],
  ['Somaliland', 'SO'],
  ['N. Cyprus', 'CY'],
]);
/**
 * Alpha-2 code of a numeric one: Unicode lists numbers as aliases. Null: no code.
 * @param {Country} country
 */
function codeOf({ id, properties: { name } }) {
  const code = id ? Intl.getCanonicalLocales(`und-${id}`)[0]?.split('-')[1] : CODES.get(name);
  return code && /^[A-Z]{2}$/.test(code) && code !== 'AQ' ? code : null;
}

const coarse = atlas('countries-110m');
const arcs = arcsOf(coarse).map(simplified);
/** @type {Map<string, string>} */
const shapes = new Map();
for (const country of coarse.objects.countries.geometries) {
  const code = codeOf(country);
  if (!code) continue;
  const rings = polygonsOf(country)
    .flat()
    .flatMap((indices) => ringsOf(arcs, indices))
    .filter((ring) => ring.length > 2);
  const largest = Math.max(...rings.map(areaOf));
  const shown = rings.filter((ring) => areaOf(ring) >= Math.min(LEAST_AREA, largest));
  shapes.set(code, (shapes.get(code) ?? '') + shown.map(pathOf).join(''));
}

const fine = atlas('countries-50m');
const fineArcs = arcsOf(fine);
/** @type {Map<string, string>} */
const dots = new Map();
for (const country of fine.objects.countries.geometries) {
  const code = codeOf(country);
  if (!code || shapes.has(code)) continue;
  const rings = polygonsOf(country).flatMap(([outer]) => (outer ? ringsOf(fineArcs, outer) : []));
  const [ring = []] = rings.sort((a, b) => areaOf(b) - areaOf(a));
  /** @type {(of: readonly number[]) => number} */
  const middle = (of) => Math.round((Math.min(...of) + Math.max(...of)) / 2);
  dots.set(code, `[${middle(ring.map(([x]) => x))}, ${middle(ring.map(([, y]) => y))}]`);
}

/** @type {(entries: ReadonlyMap<string, string>, write: (text: string) => string) => string} */
const listed = (entries, write) =>
  [...entries]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([code, text]) => `  ${code}: ${write(text)},`)
    .join('\n');
writeFileSync(
  TARGET,
  `// Written by scripts/world-map.mjs from world-atlas (Natural Earth, public domain). Do not edit.

/** Size of the map in the unit of its coordinates: the Natural Earth projection without Antarctica. */
export const WORLD = { width: ${WIDTH}, height: ${Math.ceil((top - bottom) * unit)} };

/** Outlines by ISO 3166 code, as SVG paths. */
export const SHAPES: Readonly<Record<string, string>> = {
${listed(shapes, (path) => `'${path}'`)}
};

/** Centers of countries that are too small for an outline. */
export const DOTS: Readonly<Record<string, readonly [x: number, y: number]>> = {
${listed(dots, (place) => place)}
};
`,
);
