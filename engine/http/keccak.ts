import type { Keccak256 } from '../core/digest.ts';
import { openKeccak } from '../settlement/keccak.ts';

let opened: Promise<Keccak256> | undefined;

/** The hash of the digests, made at its first use and kept: it holds nothing but its own memory. */
export function keccak(): Promise<Keccak256> {
  opened ??= openKeccak();
  return opened;
}
