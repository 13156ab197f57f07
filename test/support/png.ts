import { crc32, deflateSync } from 'node:zlib';

/** Colour as three numbers from 0 to 255. */
export type Colour = readonly [red: number, green: number, blue: number];

/** Makes a PNG with a vertical gradient from one colour to another. */
export function picture(
  { width, height }: { readonly width: number; readonly height: number },
  from: Colour,
  to: Colour,
): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // 8 bits each of red, green and blue; PNG allows only 0 for the other bytes.
  header.set([8, 2], 8);
  const rows = Array.from({ length: height }, (_, y) => {
    const colour = from.map((start, i) => start + (((to[i] ?? start) - start) * y) / height);
    // The first byte of a row names its filter: 0 is none.
    return Buffer.concat([Buffer.of(0), Buffer.alloc(width * 3, Buffer.from(colour))]);
  });
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.concat(rows))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}
