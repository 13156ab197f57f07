import { canonicalJson } from '../../core/canonical-json.ts';
import type { Hex } from '../../core/events.ts';
import { fieldsOf } from '../compare.ts';
import { MAX_BUNDLE_BYTES, MAX_HEADERS, MAX_PROVEN_BLOCKS } from './limits.ts';
import { hashOfText } from './text.ts';
import { type BlockProof, BUNDLE_FORMAT, type Bundle } from './types.ts';

/** A bundle in the correct form. The fields of its receipt are unchecked until they are compared. */
export type ParsedBundle = Omit<Bundle, 'receipt'> & {
  readonly receipt: Readonly<Record<string, unknown>>;
  readonly bytes: number;
};

/** Thrown if a file is no bundle; the message is a sentence. */
export class BundleFormatError extends Error {
  override readonly name = 'BundleFormatError';
}

/**
 * Reads a bundle's file. Each bundle has exactly one encoding: another spelling of the same content is
 * refused, and so is any content beyond the format (docs/reference/bundle.md#the-file).
 * @throws {BundleFormatError} naming the field and what would be right.
 */
export function parseBundle(file: string | Uint8Array): ParsedBundle {
  const { text, bytes } = textOf(file);
  const value = jsonOf(text);
  const fields = fieldsIn(value, 'The bundle', [
    'bundleHash',
    'chainId',
    'contractAddress',
    'format',
    'headers',
    'proofs',
    'receipt',
    'saleId',
  ]);
  if (fields.format !== BUNDLE_FORMAT) {
    throw new BundleFormatError(`format must be "${BUNDLE_FORMAT}".`);
  }
  requireCanonical(value, text);
  const receipt = fieldsOf(fields.receipt);
  if (receipt === undefined) throw new BundleFormatError('receipt must be an object.');
  const bundle: Omit<ParsedBundle, 'bytes'> = {
    bundleHash: hexOf(fields.bundleHash, 'bundleHash', 32),
    chainId: integerOf(fields.chainId, 'chainId', 1),
    contractAddress: hexOf(fields.contractAddress, 'contractAddress', 20),
    format: BUNDLE_FORMAT,
    headers: listOf(fields.headers, 'headers', 1, MAX_HEADERS).map((header, i) =>
      hexOf(header, `headers[${i}]`),
    ),
    proofs: listOf(fields.proofs, 'proofs', 1, MAX_PROVEN_BLOCKS).map(proofOf),
    receipt,
    saleId: digitsOf(fields.saleId, 'saleId'),
  };
  const computed = hashOfText(text, bundle.bundleHash);
  if (computed === bundle.bundleHash) return { ...bundle, bytes };
  throw new BundleFormatError(
    `bundleHash is ${bundle.bundleHash}, but the rest of the file hashes to ${computed}: it was damaged or changed.`,
  );
}

function textOf(file: string | Uint8Array): { text: string; bytes: number } {
  // Each character takes at least a byte, so text with too many characters need not be encoded.
  const isLarge = file.length > MAX_BUNDLE_BYTES;
  const encoded = typeof file === 'string' && !isLarge ? new TextEncoder().encode(file) : file;
  if (encoded.length > MAX_BUNDLE_BYTES) {
    throw new BundleFormatError(
      `The file has more than ${MAX_BUNDLE_BYTES} bytes; no bundle is that large.`,
    );
  }
  if (typeof file === 'string') return { text: file, bytes: encoded.length };
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(file);
    return { text, bytes: file.length };
  } catch {
    throw new BundleFormatError('The file is no UTF-8 text.');
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new BundleFormatError('The file is no JSON.');
  }
}

/** Requires sorted members, no white space, each member once, one spelling of each number and text. */
function requireCanonical(value: unknown, text: string): void {
  try {
    if (canonicalJson(value) === text) return;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  throw new BundleFormatError('The file is not in the canonical form of JSON (RFC 8785).');
}

function proofOf(value: unknown, i: number): BlockProof {
  const field = `proofs[${i}]`;
  const fields = fieldsIn(value, field, ['blockNumber', 'nodes', 'transactionIndexes']);
  const transactionIndexes = listOf(fields.transactionIndexes, `${field}.transactionIndexes`).map(
    (index, j) => integerOf(index, `${field}.transactionIndexes[${j}]`, 0),
  );
  if (transactionIndexes.some((index, j) => j > 0 && index <= (transactionIndexes[j - 1] ?? 0))) {
    throw new BundleFormatError(`${field}.transactionIndexes must rise, each named once.`);
  }
  return {
    blockNumber: digitsOf(fields.blockNumber, `${field}.blockNumber`),
    nodes: listOf(fields.nodes, `${field}.nodes`).map((node, j) =>
      hexOf(node, `${field}.nodes[${j}]`),
    ),
    transactionIndexes,
  };
}

function fieldsIn<const N extends string>(
  value: unknown,
  field: string,
  names: readonly N[],
): Readonly<Record<N, unknown>> {
  const fields = fieldsOf(value);
  const present = fields === undefined ? '' : Object.keys(fields).sort().join(', ');
  if (fields !== undefined && present === names.join(', ')) return fields;
  throw new BundleFormatError(`${field} must be an object with exactly ${names.join(', ')}.`);
}

function listOf(
  value: unknown,
  field: string,
  least = 1,
  most = Number.POSITIVE_INFINITY,
): readonly unknown[] {
  if (Array.isArray(value) && value.length >= least && value.length <= most) return value;
  const bound = most === Number.POSITIVE_INFINITY ? `at least ${least}` : `${least} to ${most}`;
  throw new BundleFormatError(`${field} must be a list of ${bound} entries.`);
}

const BYTES = /^0x(?:[0-9a-f]{2})+$/;

function isBytes(value: unknown): value is Hex {
  return typeof value === 'string' && BYTES.test(value);
}

function hexOf(value: unknown, field: string, size?: number): Hex {
  const isThat = isBytes(value) && (size === undefined || value.length === 2 + 2 * size);
  if (isThat) return value;
  const what = size === undefined ? 'pairs of' : 2 * size;
  throw new BundleFormatError(`${field} must be 0x and ${what} lower-case hexadecimal digits.`);
}

function integerOf(value: unknown, field: string, least: number): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= least) return value;
  throw new BundleFormatError(`${field} must be a whole number of at least ${least}.`);
}

function digitsOf(value: unknown, field: string): string {
  if (typeof value === 'string' && /^(?:0|[1-9][0-9]{0,77})$/.test(value)) return value;
  throw new BundleFormatError(`${field} must be decimal digits, without zeros in front.`);
}
