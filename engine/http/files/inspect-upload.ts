import { createHash } from 'node:crypto';
import { fileTypeFromBuffer } from 'file-type';
import { imageSize } from 'image-size';
import { HttpError, invalidField } from '../errors.ts';
import { pictureEnd } from './picture-end.ts';

/** Bytes of the largest image that is accepted. */
const MAX_IMAGE_BYTES = 5 * 1024 * 1024;
/**
 * Pixels of a side, and of the whole image. A browser needs four bytes for each pixel, even if the file is
 * small: 64 MB for the largest image.
 */
const MAX_SIDE_PIXELS = 8_192;
const MAX_IMAGE_PIXELS = 16_000_000;

/**
 * Images that every browser shows and that cannot contain a script: the type that the first bytes indicate,
 * and the formats that its size may be read in. A file whose two differ is not an image.
 */
const imageFormats: Readonly<Record<string, readonly string[]>> = {
  'image/png': ['png'],
  'image/apng': ['png'],
  'image/jpeg': ['jpg'],
  'image/webp': ['webp'],
  'image/gif': ['gif'],
  'image/avif': ['avif', 'heif'],
};

/** Type and extension of unknown content. */
const UNKNOWN_TYPE = { mime: 'application/octet-stream', ext: 'bin' } as const;

/** Characters at the start of a file that are searched for markup. */
const MARKUP_CHARACTERS = 1_024;

/** Uploaded file, described by its content and not by its name or declared type. */
export interface InspectedFile {
  readonly bytes: Uint8Array;
  readonly kind: 'image' | 'download';
  /** 64 lower-case hex digits. */
  readonly sha256: string;
  readonly contentType: string;
  /** File extension of that type, without the dot. */
  readonly extension: string;
  /** Pixels as shown; `null` for a download. */
  readonly width: number | null;
  readonly height: number | null;
}

/**
 * Inspects an uploaded file. A file of a type that browsers show is an image, and everything else is a
 * download. Markup is rejected, because a browser might run it. What follows the end of an image is left out.
 * @throws {HttpError} VALIDATION_FAILED if it is empty.
 * @throws {HttpError} UNSUPPORTED_MEDIA_TYPE if it is markup (HTML, SVG, XML), an image whose
 * structure is broken, or one whose size cannot be read or is beyond 8,192 pixels a side or 16 million in all.
 * @throws {HttpError} PAYLOAD_TOO_LARGE if an image has more than 5 MiB.
 */
export async function inspectUpload(file: Blob): Promise<InspectedFile> {
  const whole = new Uint8Array(await file.arrayBuffer());
  if (whole.length === 0) throw invalidField('file', 'is empty');
  const { mime, ext } = (await fileTypeFromBuffer(whole)) ?? UNKNOWN_TYPE;
  const bytes = Object.hasOwn(imageFormats, mime) ? pictureOf(whole, mime) : whole;
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const common = { bytes, sha256, contentType: mime, extension: ext };
  if (Object.hasOwn(imageFormats, mime))
    return { ...common, kind: 'image', ...pixelsOf(bytes, mime) };
  if (isMarkup(bytes, mime)) {
    throw new HttpError(
      'UNSUPPORTED_MEDIA_TYPE',
      'The file is HTML, SVG or other markup, which is not accepted: put it into an archive.',
    );
  }
  return { ...common, kind: 'download', width: null, height: null };
}

/**
 * The picture without what follows its end: cameras append data of their own, and a host of pictures must not become one of
 * anything else.
 * @throws {HttpError} UNSUPPORTED_MEDIA_TYPE if it only starts like a picture.
 */
function pictureOf(bytes: Uint8Array, type: string): Uint8Array {
  const end = bytes.length > MAX_IMAGE_BYTES ? bytes.length : pictureEnd(bytes, type);
  if (end !== undefined) return bytes.subarray(0, end);
  throw new HttpError(
    'UNSUPPORTED_MEDIA_TYPE',
    `The file starts like ${type}, but is not a whole picture.`,
  );
}

function pixelsOf(bytes: Uint8Array, type: string): { width: number; height: number } {
  if (bytes.length > MAX_IMAGE_BYTES) {
    throw new HttpError('PAYLOAD_TOO_LARGE', `An image may have at most ${MAX_IMAGE_BYTES} bytes.`);
  }
  const { width, height } = shownSize(bytes, type);
  if (Math.max(width, height) > MAX_SIDE_PIXELS || width * height > MAX_IMAGE_PIXELS) {
    throw new HttpError(
      'UNSUPPORTED_MEDIA_TYPE',
      `The image has ${width} × ${height} pixels: a side may have ${MAX_SIDE_PIXELS}, and the whole image ${MAX_IMAGE_PIXELS}.`,
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
    // Reported below, like a missing size.
  }
  throw new HttpError(
    'UNSUPPORTED_MEDIA_TYPE',
    `The file starts like ${type}, but its size in pixels cannot be read.`,
  );
}

/**
 * True if a browser that guesses types might show the file as a page. UTF-16 text starts like some audio
 * formats, and old browsers skip zero bytes before the first tag.
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
