/** Eighty events as a JSON list; {@link ZSTD_BODIES} hold the very same text. The token of each is `token`. */
export const zstdText = (token = 'tmk_kkkk'): string =>
  JSON.stringify(
    Array.from({ length: 80 }, (_, i) => ({
      event: `event ${i % 7}`,
      distinct_id: `user-${(i * i) % 97}`,
      token,
      properties: { n: i, note: 'Grüße '.repeat(i % 5) },
    })),
  );

/** The text as zstd 1.5.4 compressed it: at level 19 with its size, and as a stream with a checksum. */
export const ZSTD_BODIES: readonly Buffer[] = [
  'KLUv/WCdIa0PALaYPx6QKx25/9Xd/sB3y9XioprFJu5tb5mkTMn4XcSuKAFMAC8ALwC9AppLBpOBEMwsYLFUDaqROBoVOINqVGVQkUYhgTQPB+RRgVocFgxJ' +
    'DarRLBySCtQRQJrIpAaVUBwkiIZCElEkKlAHMChJo6E0VSkEeCs6Pfhewvquyb1rn6zGU7udRLPPMNn6mtmsx5pvHtr1jtnJUNEt79xHLN7tnBx2POIhImPK' +
    'Iqad85zzh4mX8g6Rz6l3O2Tn6h869H8+ss1qtNl+nNDdog/PCNnZNoa0myctayeNzyfMu0tLTl/zkuXBc/Tj8dk7Qv5h39oTOrf/aLzZ4ZHxL6IzrA+igPOo' +
    'Iay7U9ifA6CXkXQiCCQIJAisQBAkBKCCEwRECCZRgxTkA4IomAkdqqL3aDKomwieuoK3UbIF+rnQoSp6jyZbQDcRPHUFb6NkUD5VPHQJbqNoixS/VlK8PXAz' +
    'FnG3YDJYHFmOF2K3oDQA41niOlH3hSZbYDSIXC/ibqFkcDiqHC/EbqFoi8azxHWiLnxZpNRONDicVY4HAovk5xXfFYUDzQrwgK4CEEQqhgWZQjl8LNShSQEW' +
    '0BWSq2bpxPAQyeSWiMcphXRLACwK2d0q5YTE765rggiqCOBQ3jxIcGPWWOFLgBlW9KNmVkNg59UwQHX6/w==',
  'KLUv/QRY3RUA5lY9I5AnSQd5//vdqS3+I9K4bYTwvCrz+bHzInvLlKSULmSW5j+XRQAvACwAAdoWCgpEBp3kgFBRBiGUYFDiGBLEQTggEKig4zgOg6NAQgYh' +
    '5zgkVFABQJyEATLowGCQEEAMScJwQAVVgUEJcg4cShAQiGjmDNHspnYu61vp3mFtrnbrFessb+ka9s60WME3DdZ/t8344pkztIKDYCHBAiL5dPom0S6HeMYO' +
    'a6VVtHthQZtjebls7b66LzTlZ2ZDY0u5ujQzfkupLP9o7ANMWslm1vNOI+LlWVqzlWXK8//5hu+97O9dLxpfsTT2Lvton9F8tbGyKQGBNKhhca4z7L8BkUYi' +
    'wRWNGxJAEEAQwKAIEIIZjKAmYBsEIoQIEUKBQWpjbADI9NStRl0Y8xF0psUTzwIBYZ90ifdKSNyQJYCWmVycHb28UEIP2VSTxEwAiR4BUQkOq4nx6vBKIxYA' +
    'BABjnQM3aAxxCIEqPPrvyde5HC4mEdBsyzsdeiVCMxVGOoLOtHjOLID4IYBmydlqLuxMQxKVgupedxvaytqSsSZoEwaGhMNbww5vCfKZwKU3qiLeocjlZJ6c' +
    'aegBHrWx+KcKx+FBO3aMTJzX9ZCJAze3kMC1WsjDZWwOVKIqWrTFc4ZDQs93NS+LQmFAR5AU+BdD0PcycxPIAiZxWVRZChOPQfo8LfDfT0RXTNWtjJNHsUpg' +
    'FL9+mAjexSkBg3HYZNDQydBOzc03KpBsUTVF1Uy2HduBGLy+/PlEMgwE0RZSu4aagwSfaCyxKHEUDAdcn3cJd0VFtGJWpBYYVzFK4EhFNCHBFJOqEi4CJBK5' +
    'aem/9eWl8M11Wh1UTSdSr/JgzUQiKNbrQBFAqPlSRrFj+IQOUgdc8cNBwkCbgAQ6dhoaAqm9CaoKiFudhoH5D/smqMemHO2ApLXaFFcD2NuCFA==',
].map((base64) => Buffer.from(base64, 'base64'));

const BLOCK = 128 * 1024;

/** A frame of raw blocks, which any decoder takes: what programs that cannot compress may write. */
export function zstdRaw(content: Buffer): Buffer {
  const blocks: Buffer[] = [];
  for (let at = 0; at === 0 || at < content.length; at += BLOCK) {
    const block = content.subarray(at, at + BLOCK);
    blocks.push(blockHead(block.length, 0, at + BLOCK >= content.length), block);
  }
  return Buffer.concat([frameHead(17), ...blocks]);
}

/** Four bytes for each 128 KiB of spaces that come out. @param windowLog of the memory that the frame asks for */
export function zstdBomb(blocks: number, windowLog = 17): Buffer {
  const all = Array.from({ length: blocks }, (_, i) => Buffer.concat([blockHead(BLOCK, 1, i === blocks - 1), Buffer.from(' ')]));
  return Buffer.concat([frameHead(windowLog), ...all]);
}

/**
 * Blocks that each ask for 98,000 copies of 65,539 bytes and bring no bits to choose them: zstd refuses them, and a decoder that checks
 * nothing works for hours.
 */
export function zstdToil(blocks: number): Buffer {
  // no literals, as many sequences as fit; one code each for lengths of literals (0), offsets (2) and lengths of matches (52)
  const block = Buffer.from([0x00, 0xff, 0xff, 0xff, 0x54, 0, 2, 52, 1]);
  const all = Array.from({ length: blocks }, (_, i) => Buffer.concat([blockHead(block.length, 2, i === blocks - 1), block]));
  return Buffer.concat([frameHead(17), ...all]);
}

const frameHead = (windowLog: number): Buffer => Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, (windowLog - 10) << 3]);

function blockHead(size: number, type: number, isLast: boolean): Buffer {
  const head = Buffer.alloc(3);
  head.writeUIntLE(size * 8 + type * 2 + (isLast ? 1 : 0), 0, 3);
  return head;
}
