import type { Hex } from './events.ts';
import { writeHex } from './hex-bytes.ts';

/** Decimal digits of which every number is below 2^53. */
const SAFE_DIGITS = 15;
const encoder = new TextEncoder();

/**
 * Writes big-endian values into one reusable buffer. A digest takes a few kilobytes for each event;
 * building it from strings of hex digits took a third longer.
 */
export class ByteWriter {
  #bytes = new Uint8Array(4_096);
  #view = new DataView(this.#bytes.buffer);
  #length = 0;

  /** Empties the buffer. */
  clear(): this {
    this.#length = 0;
    return this;
  }

  /** View of the bytes written so far, valid until the next `clear`. */
  bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  /** Writes 1 byte. */
  byte(value: number): void {
    this.#view.setUint8(this.#take(1), value);
  }

  /** Writes an unsigned integer of 4 bytes. */
  count(value: number): void {
    this.#view.setUint32(this.#take(4), value);
  }

  /** Writes an integer of 8 bytes. */
  long(value: number): void {
    this.#view.setBigUint64(this.#take(8), BigInt.asUintN(64, BigInt(value)));
  }

  /** Writes 32 bytes, two's complement: a discrepancy may have driven a balance below zero. */
  word(value: bigint): void {
    const small = Number(value);
    if (small >= 0 && small <= Number.MAX_SAFE_INTEGER) {
      this.#smallWord(small);
      return;
    }
    const at = this.#take(32);
    for (let limb = 0; limb < 4; limb += 1) {
      const shift = BigInt(64 * (3 - limb));
      this.#view.setBigUint64(at + 8 * limb, BigInt.asUintN(64, value >> shift));
    }
  }

  /** Writes an id of the contract, given as decimal digits, as a word of 32 bytes. */
  id(digits: string): void {
    if (digits.length <= SAFE_DIGITS) this.#smallWord(Number(digits));
    else this.word(BigInt(digits));
  }

  /** Writes a word without a bigint, for the values up to 2^53 − 1: nearly all of them. */
  #smallWord(value: number): void {
    const at = this.#take(32);
    const view = this.#view;
    for (let i = at; i < at + 24; i += 4) view.setUint32(i, 0);
    view.setUint32(at + 24, Math.floor(value / 2 ** 32));
    view.setUint32(at + 28, value % 2 ** 32);
  }

  /** Writes the bytes of lower-case hex digits after `0x`. */
  hex(value: Hex): void {
    const at = this.#take(value.length / 2 - 1);
    writeHex(value, this.#bytes, at);
  }

  /** Writes ASCII text, without its length. */
  ascii(text: string): void {
    const at = this.#take(text.length);
    for (let i = 0; i < text.length; i += 1) this.#bytes[at + i] = text.charCodeAt(i);
  }

  /** Writes text as UTF-8, preceded by its length in bytes (4 bytes). */
  sized(text: string): void {
    const at = this.#take(4 + 3 * text.length);
    const { written } = encoder.encodeInto(text, this.#bytes.subarray(at + 4));
    this.#view.setUint32(at, written);
    this.#length = at + 4 + written;
  }

  /** Makes room for `length` bytes and returns the offset of the first. */
  #take(length: number): number {
    const at = this.#length;
    this.#length += length;
    if (this.#length > this.#bytes.length) {
      const bytes = new Uint8Array(2 * this.#length);
      bytes.set(this.#bytes.subarray(0, at));
      this.#bytes = bytes;
      this.#view = new DataView(bytes.buffer);
    }
    return at;
  }
}
