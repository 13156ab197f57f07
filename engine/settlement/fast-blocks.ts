import type { ChainBlock } from '../chain/chain.ts';

/** A block's height and Unix seconds. */
type Moment = Pick<ChainBlock, 'number' | 'timestamp'>;

/**
 * True if blocks come faster than one a second, so that a request for each would cost more than everything else. They
 * are checked together, if nothing happened to the contract in them.
 */
export function areFast(from: Moment, to: Moment): boolean {
  return to.timestamp - from.timestamp < to.number - from.number;
}
