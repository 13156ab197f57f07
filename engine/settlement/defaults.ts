/** Facts that one transaction folds at most: memory stays flat, and a commit stays short. */
export const BATCH_SIZE = 2_000;

/** Campaigns that one worker settles at once: while one is folded, the rows of others are written. */
export const CONCURRENCY = 4;
