/** Facts folded in one transaction: memory stays flat, and a commit stays short. */
export const MAX_BATCH_FACTS = 2_000;

/** Batches that one worker settles concurrently: while one is folded, rows of others are written. */
export const MAX_CONCURRENT_BATCHES = 4;
