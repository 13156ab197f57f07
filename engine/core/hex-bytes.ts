import type { Hex } from './events.ts';

// Hex digits of digests: big-endian, lower case, of fixed lengths (docs/reference/digest.md).

/** Hex digits, without `0x`, of 32 bytes in two's complement: a discrepancy may make a balance negative. */
export function word(value: bigint): string {
  return BigInt.asUintN(256, value).toString(16).padStart(64, '0');
}

/** Hex digits of 1 byte, without `0x`. */
function byte(value: number): string {
  return value.toString(16).padStart(2, '0');
}

const HEX_BYTES = Array.from({ length: 256 }, (_, value) => byte(value));

/** Lower-case hex digits of bytes, after `0x`. */
export function toHex(bytes: Uint8Array): Hex {
  let hex = '';
  for (const value of bytes) hex += HEX_BYTES[value];
  return `0x${hex}`;
}

/** Value of a hex digit by its character code; digests have lower-case digits only. */
const DIGIT_VALUES = Uint8Array.from({ length: 128 }, (_, code) => {
  const value = Number.parseInt(String.fromCharCode(code), 16);
  return Number.isNaN(value) ? 0 : value;
});

/** Bytes of lower-case hex digits after `0x`. */
export function fromHex(hex: Hex): Uint8Array {
  const bytes = new Uint8Array(hex.length / 2 - 1);
  writeHex(hex, bytes, 0);
  return bytes;
}

/** Writes the bytes of hex digits into `to`, from offset `at`. */
export function writeHex(hex: Hex, to: Uint8Array, at: number): void {
  const length = hex.length / 2 - 1;
  for (let i = 0; i < length; i += 1) {
    const high = DIGIT_VALUES[hex.charCodeAt(2 * i + 2)] ?? 0;
    to[at + i] = high * 16 + (DIGIT_VALUES[hex.charCodeAt(2 * i + 3)] ?? 0);
  }
}
