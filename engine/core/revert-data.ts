import type { Hex } from './events.ts';

/**
 * Revert data of a call in the `data` of an RPC's error, whatever the code: Besu and Nethermind have -32000, and others
 * codes of their own. Nodes put it there, with "Reverted " before it, or one level deeper.
 */
export function revertDataIn(data: unknown, isDeeper = true): Hex | undefined {
  if (typeof data === 'string') {
    const [, hex] = /^(?:Reverted )?(0x(?:[0-9a-f]{2})*)$/i.exec(data) ?? [];
    return hex as Hex | undefined;
  }
  return isDeeper && typeof data === 'object' && data !== null
    ? revertDataIn(Reflect.get(data, 'data'), false)
    : undefined;
}
