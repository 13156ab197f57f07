import { createHash } from 'node:crypto';
import { fileTypeFromBuffer } from 'file-type';
import { imageSize } from 'image-size';
import { PayloadTooLargeError, UnsupportedMediaTypeError, ValidationError } from '../errors.ts';

/** Bytes of an image that is taken. */
const IMAGE_BYTES_MOST = 5 * 1024 * 1024;
/**
 * Pixels of a side, and of the whole image. A browser takes four bytes for each pixel, however small
 * the file is: 64 MB for the largest image.
 */
const SIDE_PIXELS_MOST = 8_192;
const IMAGE_PIXELS_MOST = 16_000_000;

/**
 * Images that every browser shows, and that can hold no script: the type that the first bytes say, and
 * the format whose size was read. A file of which the two differ is no image.
 */
const imageFormats: Readonly<Record<string, readonly string[]>> = {
  'image/png': ['png'],
  'image/apng': ['png'],
  'image/jpeg': ['jpg'],
  'image/webp': ['webp'],
  'image/gif': ['gif'],
  'image/avif': ['avif', 'heif'],
};

/** What an unknown content is called. */
const UNKNOWN_TYPE = { mime: 'application/octet-stream', ext: 'bin' } as const;

/** Characters of a file's beginning that are looked at for markup. */
const MARKUP_CHARACTERS = 1_024;

/** A file as its content shows, whatever its name and declared type said. */
export interface InspectedFile {
  readonly bytes: Uint8Array;
  readonly kind: 'image' | 'download';
  /** 64 lower-case hex digits. */
  readonly sha256: string;
  readonly contentType: string;
  /** The ending of a file of that type, without its dot. */
  readonly extension: string;
  /** Pixels as shown; `null` for a download. */
  readonly width: number | null;
  readonly height: number | null;
}

/**
 * Looks at an uploaded file: an image of a type that browsers show is one, and anything else is a
 * download. Markup is neither, because a browser might run it.
 * @throws {ValidationError} where it is empty.
 * @throws {UnsupportedMediaTypeError} where it is markup (HTML, SVG, XML), or an image whose size
 * cannot be read or is beyond 8,192 pixels a side or 16 million in all.
 * @throws {PayloadTooLargeError} where an image has more than 5 MiB.
 */
export async function inspectUpload(file: Blob): Promise<InspectedFile> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  if (bytes.length === 0) throw new ValidationError([{ path: 'file', message: 'is empty' }]);
  const { mime, ext } = (await fileTypeFromBuffer(bytes)) ?? UNKNOWN_TYPE;
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const common = { bytes, sha256, contentType: mime, extension: ext };
  if (Object.hasOwn(imageFormats, mime))
    return { ...common, kind: 'image', ...pixelsOf(bytes, mime) };
  if (isMarkup(bytes, mime)) {
    throw new UnsupportedMediaTypeError(
      'The file is HTML, SVG or other markup, which is not taken: put it into an archive.',
    );
  }
  return { ...common, kind: 'download', width: null, height: null };
}

function pixelsOf(bytes: Uint8Array, type: string): { width: number; height: number } {
  if (bytes.length > IMAGE_BYTES_MOST) {
    throw new PayloadTooLargeError(`An image may have at most ${IMAGE_BYTES_MOST} bytes.`);
  }
  const { width, height } = shownSize(bytes, type);
  if (Math.max(width, height) > SIDE_PIXELS_MOST || width * height > IMAGE_PIXELS_MOST) {
    throw new UnsupportedMediaTypeError(
      `The image has ${width} × ${height} pixels: a side may have ${SIDE_PIXELS_MOST}, all of it ${IMAGE_PIXELS_MOST}.`,
    );
  }
  return { width, height };
}

/** EXIF's orientations from 5 on lay the image on its side. */
function shownSize(bytes: Uint8Array, type: string): { width: number; height: number } {
  try {
    const { width, height, orientation = 1, type: format = '' } = imageSize(bytes);
    if (width >= 1 && height >= 1 && imageFormats[type]?.includes(format)) {
      return orientation >= 5 ? { width: height, height: width } : { width, height };
    }
  } catch {
    // Told below, as a size of nothing is.
  }
  throw new UnsupportedMediaTypeError(
    `The file begins as ${type} does, and its size in pixels cannot be read.`,
  );
}

/**
 * True if a browser that guesses might take it for a page. Text of two bytes a character begins like
 * some sound does, and zero bytes before the first tag are passed over by old browsers.
 */
function isMarkup(bytes: Uint8Array, type: string): boolean {
  if (/^(?:text\/html|image\/svg|application\/(?:[a-z.+-]*\+)?xml)/.test(type)) return true;
  const utf16 =
    (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  if (type !== UNKNOWN_TYPE.mime && !utf16) return false;
  const encoding = utf16 ? (bytes[0] === 0xff ? 'utf-16le' : 'utf-16be') : 'utf-8';
  const start = new TextDecoder(encoding).decode(bytes.subarray(0, MARKUP_CHARACTERS));
  return start.replaceAll('\0', '').trimStart().startsWith('<');
}
