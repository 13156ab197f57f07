/** Parts of Ponder's 75-digit id of an event that is a log. */
export interface EventIdParts {
  /** Unix seconds of the block. */
  readonly timestamp: number;
  readonly chainId: string;
  readonly blockNumber: number;
  readonly transactionIndex: number;
  readonly logIndex: number;
}

/** Ponder's number for an event that is a log. */
const LOG_EVENT = '5';

/**
 * Composes an event id: timestamp (10 digits), chain (16), block (16), transaction (16), type (1) and log (16). The digest
 * covers it (docs/reference/digest.md).
 */
export function formatEventId(parts: EventIdParts): string {
  const { timestamp, chainId, blockNumber, transactionIndex, logIndex } = parts;
  const block = `${digits(timestamp, 10)}${digits(chainId, 16)}${digits(blockNumber, 16)}`;
  return `${block}${digits(transactionIndex, 16)}${LOG_EVENT}${digits(logIndex, 16)}`;
}

function digits(value: number | string, length: number): string {
  return String(value).padStart(length, '0');
}

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
    transactionIndex: transactionIndexOf(id),
    logIndex: Number(id.slice(59)),
  };
}

/** Index of an event's transaction in its block, from the event's id. */
export function transactionIndexOf(id: string): number {
  return Number(id.slice(42, 58));
}
