/** Largest size of a bundle's file, bytes. It limits every other count, too. */
export const MAX_BUNDLE_BYTES = 16_777_216;
/** Largest number of blocks whose receipts a bundle proves. */
export const MAX_PROVEN_BLOCKS = 256;
/** Largest number of headers of a bundle, including those that only link others. */
export const MAX_HEADERS = 8_448;
/** Largest number of logs of one transaction: each costs at least 375 gas. */
export const MAX_LOGS = 2 ** 20;
