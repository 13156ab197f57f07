import { createHash } from 'node:crypto';
import type { Address, Hex } from '../../../engine/core/events.ts';

/** 32 bytes that a text decides. */
export function hash32(text: string): Hex {
  return `0x${createHash('sha256').update(text).digest('hex')}`;
}

/** The account of a name. */
export function accountOf(name: string): Address {
  return hash32(name).slice(0, 42) as Address;
}
