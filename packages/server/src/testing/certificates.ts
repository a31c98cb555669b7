import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { isIPv4 } from 'node:net';

/** A certificate authority made for a test. */
export interface Authority {
  /** Its certificate in PEM. */
  cert: string;
  /** A certificate for the given host names and IPv4 addresses, with its private key, both in PEM. */
  issue(...hosts: string[]): { cert: string; key: string };
}

/** Makes an authority that signs itself. */
export function createAuthority(name: string): Authority {
  const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const signer = { name, key: keys.privateKey };
  const isAuthority = extension('551d13', sequence(tagged(0x01, Buffer.from([0xff]))), true);
  return {
    cert: certificate(signer, name, keys.publicKey, isAuthority),
    issue: (...hosts) => {
      const own = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      const names = hosts.map((host) =>
        isIPv4(host) ? tagged(0x87, Buffer.from(host.split('.').map(Number))) : tagged(0x82, Buffer.from(host)),
      );
      return {
        cert: certificate(signer, hosts[0] ?? '', own.publicKey, extension('551d11', sequence(...names))),
        key: own.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      };
    },
  };
}

/** ecdsa-with-SHA256 */
const ALGORITHM = '2a8648ce3d040302';
const DAY_MS = 86_400_000;

/** An X.509 certificate (RFC 5280) in PEM, valid from yesterday until tomorrow. */
function certificate(
  signer: { name: string; key: KeyObject },
  subject: string,
  publicKey: KeyObject,
  extensions: Buffer,
): string {
  const algorithm = sequence(objectId(ALGORITHM));
  const content = sequence(
    tagged(0xa0, tagged(0x02, Buffer.from([2]))),
    tagged(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    algorithm,
    nameOf(signer.name),
    sequence(utcTime(Date.now() - DAY_MS), utcTime(Date.now() + DAY_MS)),
    nameOf(subject),
    publicKey.export({ type: 'spki', format: 'der' }),
    tagged(0xa3, sequence(extensions)),
  );
  const signature = tagged(0x03, Buffer.concat([Buffer.from([0]), sign('sha256', content, signer.key)]));
  const lines = (
    sequence(content, algorithm, signature)
      .toString('base64')
      .match(/.{1,64}/g) ?? []
  ).join('\n');
  return `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`;
}

/** A value in DER: its tag, its length, its content. */
function tagged(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

const sequence = (...parts: Buffer[]): Buffer => tagged(0x30, Buffer.concat(parts));
const objectId = (hex: string): Buffer => tagged(0x06, Buffer.from(hex, 'hex'));
/** A name with a common name alone. */
const nameOf = (name: string): Buffer => sequence(tagged(0x31, sequence(objectId('550403'), tagged(0x0c, Buffer.from(name)))));
const utcTime = (ms: number): Buffer =>
  tagged(0x17, Buffer.from(`${new Date(ms).toISOString().slice(2, 19).replace(/[-:T]/g, '')}Z`));
const extension = (id: string, value: Buffer, isCritical = false): Buffer =>
  sequence(objectId(id), ...(isCritical ? [tagged(0x01, Buffer.from([0xff]))] : []), tagged(0x04, value));
