import { createKeccak } from 'hash-wasm';
import type { Keccak256 } from '../core/digest.ts';

let opened: Promise<Keccak256> | undefined;

/**
 * The hash of the digests, in WebAssembly: hashing in JavaScript took two thirds of the time of
 * settling (`docs/reference/digest.md`). Made at its first use and shared: it holds nothing but its memory.
 */
export function openKeccak(): Promise<Keccak256> {
  opened ??= createKeccak(256).then(
    (hasher) => (bytes) => hasher.init().update(bytes).digest('binary'),
  );
  return opened;
}
