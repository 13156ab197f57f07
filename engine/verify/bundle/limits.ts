/** Bytes of a bundle's file, at most: with it every other count is bounded, too. */
export const BUNDLE_BYTES_MOST = 16_777_216;
/** Blocks that a bundle proves receipts of, at most. */
export const PROVEN_BLOCKS_MOST = 256;
/** Headers of a bundle at most, those that only link others included. */
export const HEADERS_MOST = 8_448;
/** Logs of one transaction at most: each costs 375 gas at least. */
export const LOGS_MOST = 2 ** 20;
/** Unix seconds, the end of the year 9999: the latest time that the protocol knows (design §3). */
export const LATEST_TIME = 253_402_300_799;
