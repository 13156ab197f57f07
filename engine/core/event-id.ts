/** Parts of Ponder's 75-digit event id (and checkpoint) that the engine reads. */
export interface EventIdParts {
  /** Unix seconds of the block. */
  readonly timestamp: number;
  readonly chainId: string;
  readonly blockNumber: number;
  readonly transactionIndex: number;
}

/** Digits of an event id: timestamp 10, chain 16, block 16, transaction 16, type 1, event 16. */
export const EVENT_ID_DIGITS = 75;

/**
 * Parses an event id or checkpoint. Ids sort by timestamp first, so a reorg can give a higher block
 * an earlier id: across forks, compare block numbers, not ids.
 * @throws {Error} if the text is not 75 digits.
 */
export function parseEventId(id: string): EventIdParts {
  if (!/^[0-9]{75}$/.test(id)) throw new Error(`expected an event id of 75 digits, got "${id}"`);
  return {
    timestamp: Number(id.slice(0, 10)),
    chainId: BigInt(id.slice(10, 26)).toString(),
    blockNumber: Number(id.slice(26, 42)),
    transactionIndex: Number(id.slice(42, 58)),
  };
}
