import { createKeccak } from 'hash-wasm';
import type { Keccak256 } from '../core/digest.ts';

/**
 * The hash of the digests, in WebAssembly: a digest takes a few kilobytes for each event, and the
 * hash in JavaScript was two thirds of the time of settling (`docs/digest.md`).
 */
export async function openKeccak(): Promise<Keccak256> {
  const hasher = await createKeccak(256);
  return (bytes) => hasher.init().update(bytes).digest('binary');
}
