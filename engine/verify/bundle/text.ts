import { keccak256, stringToBytes } from 'viem';
import { canonicalJson } from '../../core/canonical-json.ts';
import type { Hex } from '../../core/events.ts';
import type { Bundle } from './types.ts';

/** Text of a bundle's file: its canonical JSON (RFC 8785), and nothing before or after it. */
export function bundleText(bundle: Bundle): string {
  return canonicalJson(bundle);
}

/** Start of the canonical text of a bundle: `bundleHash` sorts first. */
function openingOf(bundleHash: Hex): string {
  return `{"bundleHash":"${bundleHash}",`;
}

/** keccak-256 of the canonical text of a bundle without its `bundleHash`. */
export function hashOfText(text: string, bundleHash: Hex): Hex {
  return hashText(`{${text.slice(openingOf(bundleHash).length)}`);
}

/** keccak-256 of the canonical JSON of a bundle without its `bundleHash`. */
export function hashBundle(rest: Omit<Bundle, 'bundleHash'>): Hex {
  return hashText(canonicalJson(rest));
}

function hashText(text: string): Hex {
  return keccak256(stringToBytes(text));
}
