import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { gif, jpeg, png } from '../../../test/http/support/images.ts';
import { pictureEnd } from './picture-end.ts';

const bytesOf = async (blob: Blob) => new Uint8Array(await blob.arrayBuffer());

/** A WebP of one pixel, as libwebp writes it. */
const webp = new Uint8Array(
  Buffer.from('UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA', 'base64'),
);

function box(type: string, bytes: number): Buffer {
  const head = Buffer.alloc(8 + bytes);
  head.writeUInt32BE(8 + bytes);
  head.write(type, 4, 'latin1');
  return head;
}
const avif = new Uint8Array(Buffer.concat([box('ftyp', 8), box('meta', 40), box('mdat', 30)]));

describe('pictureEnd', () => {
  const pictures = async (): Promise<[type: string, bytes: Uint8Array][]> => [
    ['image/png', await bytesOf(png(20, 20))],
    ['image/gif', await bytesOf(gif(3, 2))],
    ['image/jpeg', await bytesOf(jpeg(10, 10, 6))],
    ['image/webp', webp],
    ['image/avif', avif],
  ];

  it('finds the end of a picture of each format, whatever follows it', async () => {
    for (const [type, bytes] of await pictures()) {
      expect([type, pictureEnd(bytes, type)]).toEqual([type, bytes.length]);
      const junk = Buffer.from('<script>alert(1)</script>');
      const longer = new Uint8Array(Buffer.concat([bytes, junk]));
      expect([type, pictureEnd(longer, type)]).toEqual([type, bytes.length]);
    }
  });

  it('finds the end of the pictures of the documentation', () => {
    const folder = new URL('../../../docs/images/', import.meta.url);
    const files = readdirSync(folder).filter((name) => name.endsWith('.webp'));
    expect(files.length).toBeGreaterThan(0);
    for (const name of files) {
      const bytes = new Uint8Array(readFileSync(new URL(name, folder)));
      expect([name, pictureEnd(bytes, 'image/webp')]).toEqual([name, bytes.length]);
    }
  });

  it('knows no picture that is cut off anywhere', async () => {
    for (const [type, bytes] of await pictures()) {
      for (let length = 12; length < bytes.length; length += 1) {
        expect([type, length, pictureEnd(bytes.subarray(0, length), type)]).toEqual([
          ...[type, length, undefined],
        ]);
      }
    }
  });

  it('ends for any bytes after a signature, at most at their end', async () => {
    const all = await pictures();
    fc.assert(
      fc.property(
        fc.constantFrom(...all),
        fc.uint8Array({ maxLength: 300 }),
        fc.integer({ min: 6, max: 60 }),
        ([type, bytes], rest, length) => {
          const mixed = new Uint8Array(Buffer.concat([bytes.subarray(0, length), rest]));
          const end = pictureEnd(mixed, type);
          expect(end === undefined || (end > 12 && end <= mixed.length)).toBe(true);
        },
      ),
      { numRuns: 2_000 },
    );
  });
});
