import { crc32 } from 'node:zlib';

/**
 * Finds where a picture ends, by walking the whole structure of its format: blocks of GIF, chunks of PNG with their
 * checksums, segments of JPEG, chunks of WebP, boxes of AVIF. A signature alone makes no picture.
 *
 * It does not decode pixels: a file whose structure is right and whose pixels are broken passes.
 * @param type type that the first bytes indicate.
 * @returns bytes of the picture; `undefined` if the structure is broken, or has no image.
 */
export function pictureEnd(bytes: Uint8Array, type: string): number | undefined {
  const walk = walks[type];
  if (walk === undefined) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    return walk(view);
  } catch (error) {
    // Reading beyond the end: the file is cut off.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Offset after the picture; `undefined` if it is none. Throws a RangeError if the file ends before it. */
type Walk = (view: DataView) => number | undefined;

const walks: Readonly<Record<string, Walk>> = {
  'image/png': pngEnd,
  'image/apng': pngEnd,
  'image/jpeg': jpegEnd,
  'image/gif': gifEnd,
  'image/webp': webpEnd,
  'image/avif': avifEnd,
};

function typeAt(view: DataView, at: number): string {
  return String.fromCharCode(...[0, 1, 2, 3].map((index) => view.getUint8(at + index)));
}

function pngEnd(view: DataView): number | undefined {
  let hasData = false;
  for (let at = 8; ; ) {
    const length = view.getUint32(at);
    const type = typeAt(view, at + 4);
    const end = at + 12 + length;
    const sum = view.getUint32(end - 4);
    if ((at === 8) !== (type === 'IHDR')) return undefined;
    const body = new Uint8Array(view.buffer, view.byteOffset + at + 4, length + 4);
    if (crc32(body) !== sum) return undefined;
    if (type === 'IDAT') hasData = true;
    if (type === 'IEND') return hasData ? end : undefined;
    at = end;
  }
}

/** Sizes of the tables of colours that a flag byte of GIF announces. */
const tableBytes = (flags: number) => (flags & 0x80 ? 3 << ((flags & 7) + 1) : 0);

function gifEnd(view: DataView): number | undefined {
  let at = 13 + tableBytes(view.getUint8(10));
  let hasImage = false;
  for (;;) {
    const block = view.getUint8(at);
    if (block === 0x3b) return hasImage ? at + 1 : undefined;
    if (block === 0x21) at = subBlocksEnd(view, at + 2);
    else if (block === 0x2c) {
      // Position and size, a table of its own, and the size of a code of 2 to 8 bits.
      const data = at + 10 + tableBytes(view.getUint8(at + 9));
      const codeBits = view.getUint8(data);
      if (codeBits < 2 || codeBits > 8) return undefined;
      at = subBlocksEnd(view, data + 1);
      hasImage = true;
    } else return undefined;
  }
}

function subBlocksEnd(view: DataView, start: number): number {
  let at = start;
  while (view.getUint8(at) !== 0) at += 1 + view.getUint8(at);
  return at + 1;
}

/** Markers of JPEG that begin a frame: SOF0 to SOF15 without DHT, JPG and DAC. */
const isFrame = (marker: number) =>
  marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);

function jpegEnd(view: DataView): number | undefined {
  const has = { frame: false, scan: false };
  for (let at = 2; ; ) {
    if (view.getUint8(at) !== 0xff) return undefined;
    const marker = view.getUint8(at + 1);
    if (marker === 0xd9) return has.frame && has.scan ? at + 2 : undefined;
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    if (marker < 0xc0) return undefined;
    if (isFrame(marker)) has.frame = true;
    const length = view.getUint16(at + 2);
    if (length < 2) return undefined;
    at += 2 + length;
    if (marker !== 0xda) continue;
    has.scan = true;
    at = scanEnd(view, at);
  }
}

/** The first marker after compressed data, in which FF is followed by 00, or by a restart marker. */
function scanEnd(view: DataView, start: number): number {
  for (let at = start; ; at += 1) {
    if (view.getUint8(at) !== 0xff) continue;
    const next = view.getUint8(at + 1);
    if (next !== 0 && (next < 0xd0 || next > 0xd7)) return at;
  }
}

const WEBP_IMAGES: ReadonlySet<string> = new Set(['VP8 ', 'VP8L', 'ANMF']);

function webpEnd(view: DataView): number | undefined {
  const end = 8 + view.getUint32(4, true);
  if (end > view.byteLength) return undefined;
  let hasImage = false;
  let at = 12;
  while (at < end) {
    const length = view.getUint32(at + 4, true);
    if (WEBP_IMAGES.has(typeAt(view, at))) hasImage = true;
    // Chunks have an even length.
    at += 8 + length + (length % 2);
  }
  return at === end && hasImage ? end : undefined;
}

/** Boxes at the top of an AVIF file. */
const AVIF_BOXES: ReadonlySet<string> = new Set([
  'ftyp',
  'meta',
  'mdat',
  'moov',
  'free',
  'skip',
  'uuid',
  'idat',
  'styp',
  'sidx',
]);

function avifEnd(view: DataView): number | undefined {
  const seen = new Set<string>();
  let at = 0;
  while (at < view.byteLength) {
    const type = typeAt(view, at + 4);
    // What follows the last known box is not of the picture.
    if (!AVIF_BOXES.has(type)) break;
    const size = view.getUint32(at);
    const length = size === 1 ? Number(view.getBigUint64(at + 8)) : size || view.byteLength - at;
    if (length < 8 || at + length > view.byteLength) return undefined;
    seen.add(type);
    at += length;
  }
  return seen.has('ftyp') && seen.has('meta') && seen.has('mdat') ? at : undefined;
}
