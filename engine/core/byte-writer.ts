import type { Hex } from './events.ts';
import { writeHex } from './hex-bytes.ts';

/** Decimal digits of which every number is below 2^53. */
const SAFE_DIGITS = 15;
const encoder = new TextEncoder();

/**
 * Bytes one after the other, big-endian, in a buffer that is used again: a digest takes a few
 * kilobytes for each event, and strings of hex digits in between were a third of its time.
 */
export class ByteWriter {
  #bytes = new Uint8Array(4_096);
  #view = new DataView(this.#bytes.buffer);
  #length = 0;

  /** Forgets what was written. */
  clear(): this {
    this.#length = 0;
    return this;
  }

  /** What was written: a view that holds until the next `clear`. */
  bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  byte(value: number): void {
    this.#view.setUint8(this.#take(1), value);
  }

  /** 4 bytes. */
  count(value: number): void {
    this.#view.setUint32(this.#take(4), value);
  }

  /** 8 bytes. */
  long(value: number): void {
    this.#view.setBigUint64(this.#take(8), BigInt.asUintN(64, BigInt(value)));
  }

  /** 32 bytes, two's complement: a discrepancy may have driven a balance below zero. */
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

  /** A counter of the contract, by its decimal digits, as a word. */
  id(digits: string): void {
    if (digits.length <= SAFE_DIGITS) this.#smallWord(Number(digits));
    else this.word(BigInt(digits));
  }

  /** Numbers that a float holds exactly need no bigint: nearly all of them. */
  #smallWord(value: number): void {
    const at = this.#take(32);
    const view = this.#view;
    for (let i = at; i < at + 24; i += 4) view.setUint32(i, 0);
    view.setUint32(at + 24, Math.floor(value / 2 ** 32));
    view.setUint32(at + 28, value % 2 ** 32);
  }

  hex(value: Hex): void {
    const at = this.#take(value.length / 2 - 1);
    writeHex(value, this.#bytes, at);
  }

  ascii(text: string): void {
    const at = this.#take(text.length);
    for (let i = 0; i < text.length; i += 1) this.#bytes[at + i] = text.charCodeAt(i);
  }

  /** UTF-8, led by its length in 4 bytes. */
  sized(text: string): void {
    const at = this.#take(4 + 3 * text.length);
    const { written } = encoder.encodeInto(text, this.#bytes.subarray(at + 4));
    this.#view.setUint32(at, written);
    this.#length = at + 4 + written;
  }

  /** Makes room and answers where it begins. */
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
