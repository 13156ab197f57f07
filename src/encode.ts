import type { AbiParameter } from 'viem';

/** A JSON value in the column `args`. */
export type Arg = string | number | boolean | readonly Arg[] | { readonly [key: string]: Arg };

/** Thrown if a decoded value does not have the type of its ABI parameter. */
export class EncodeError extends Error {
  override readonly name = 'EncodeError';

  constructor(parameter: AbiParameter, value: unknown) {
    super(`${parameter.name ?? 'a value'} should be ${parameter.type}, but is ${typeof value}.`);
  }
}

/**
 * Encodes decoded event arguments as the JSON of `chain_event.args`.
 *
 * Integers wider than 48 bits are decimal strings, narrower ones numbers (as viem decodes them);
 * addresses and bytes are lower-case hex; arrays and structs keep their shape and field names.
 *
 * @throws {EncodeError} if a value does not fit its parameter.
 */
export function encodeArgs(
  parameters: readonly AbiParameter[],
  args: Readonly<Record<string, unknown>>,
): { [key: string]: Arg } {
  return Object.fromEntries(
    parameters.map((parameter) => [
      parameter.name ?? '',
      encode(parameter, args[parameter.name ?? '']),
    ]),
  );
}

function encode(parameter: AbiParameter, value: unknown): Arg {
  const array = /^(.*)\[\d*\]$/.exec(parameter.type);
  if (array) {
    if (!Array.isArray(value)) throw new EncodeError(parameter, value);
    const element = { ...parameter, type: array[1] ?? '' };
    return value.map((entry: unknown) => encode(element, entry));
  }
  if ('components' in parameter) {
    if (typeof value !== 'object' || value === null) throw new EncodeError(parameter, value);
    return encodeArgs(parameter.components, value as Record<string, unknown>);
  }
  return encodeScalar(parameter, value);
}

function encodeScalar(parameter: AbiParameter, value: unknown): Arg {
  const { type } = parameter;
  if (type === 'bool' && typeof value === 'boolean') return value;
  if (type === 'string' && typeof value === 'string') return toStorableText(value);
  if (type === 'address' || type.startsWith('bytes')) {
    if (typeof value === 'string') return value.toLowerCase();
  }
  if (/^u?int/.test(type)) {
    if (typeof value === 'bigint') return value.toString();
    if (typeof value === 'number') return value;
  }
  throw new EncodeError(parameter, value);
}

/**
 * Text that PostgreSQL can store: U+0000 and lone surrogates, which it refuses, become U+FFFD. Anyone
 * can choose a token's name or an SKU, and none of them may stop the indexer.
 */
export function toStorableText(text: string): string {
  return text.replaceAll('\0', '\uFFFD').toWellFormed();
}
