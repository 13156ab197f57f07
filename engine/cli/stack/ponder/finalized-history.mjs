import { setTimeout } from 'node:timers/promises';
import { openPool } from '../../../db/connection.ts';
import { loadHistory } from './project.mjs';

/*
 * Ponder asks the RPC for every block with an event and writes all that it gets into a cache before it runs
 * the handlers. Here, the finalized part of the history is loaded in bulk before Ponder begins, and Ponder
 * continues after it as after a crash (bench/decisions.md#finalized-history-is-loaded-in-bulk).
 */

/** Blocks that were loaded, both ends included. */
let loadedRange;

/**
 * Loads what is final and not indexed yet.
 * @returns Ponder's checkpoints, from which it continues.
 */
export async function loadFinalizedHistory(ponder) {
  const { crashRecoveryCheckpoint, finalizedBlock, chain, schema, logger } = ponder;
  const startBlock = Number(process.env.START_BLOCK);
  const last = Number(finalizedBlock.number);
  if (last < startBlock) return crashRecoveryCheckpoint;
  const indexed = crashRecoveryCheckpoint?.find(({ chainId }) => chainId === chain.id)?.checkpoint;
  const { block, checkpoint } = await untilLoaded(logger, {
    connect: () =>
      openPool(process.env.DATABASE_URL, { max: 1, applicationName: `${schema}_history` }),
    schema,
    rpcUrls: process.env.RPC_URL.split(','),
    requestsPerSecond: Number(process.env.RPC_REQUESTS_PER_SECOND),
    contractAddress: process.env.CONTRACT_ADDRESS.toLowerCase(),
    chainId: chain.id,
    chainName: chain.name,
    startBlock,
    indexedBlock: indexed === undefined ? null : wholeBlockOf(indexed),
    finalizedBlock: last,
    onRefused: ({ from, to, error }) =>
      logger.warn({
        msg: 'Asking for fewer blocks of finalized history: the RPC did not return the logs',
        method: 'eth_getLogs',
        from_block: from,
        to_block: to,
        error,
      }),
    onProgress: (progress) =>
      logger.info({
        msg: 'Loaded finalized history',
        block: progress.block,
        event_count: progress.events,
        progress: `${Math.floor((100 * (progress.block - startBlock + 1)) / (last - startBlock + 1))}%`,
      }),
  });
  if (block !== null) loadedRange = [startBlock, block];
  return checkpoint === null ? crashRecoveryCheckpoint : [{ chainId: chain.id, checkpoint }];
}

/**
 * Adds the loaded blocks to the intervals of each filter that Ponder need not request.
 * @param intervalUnion Ponder's own: joins intervals that touch.
 */
export function withLoadedHistory(cachedIntervals, intervalUnion) {
  if (loadedRange === undefined) return cachedIntervals;
  for (const fragments of cachedIntervals.values()) {
    for (const fragment of fragments) {
      fragment.intervals = intervalUnion([...fragment.intervals, loadedRange]);
    }
  }
  return cachedIntervals;
}

/** The last block of which a checkpoint covers every event: its digits 27 to 42, if nines follow. */
function wholeBlockOf(checkpoint) {
  const block = Number(checkpoint.slice(26, 42));
  return /9{33}$/.test(checkpoint) ? block : block - 1;
}

/** Milliseconds until a load that failed is tried again, at first and at most. */
const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 10_000;
/** `MAX_DELAY_MS` if the RPC limits how much it is asked, perhaps until the next day. */
const MAX_LIMITED_DELAY_MS = 60_000;

/** Loads until it succeeds: RPC and database may be away for a while, and what was loaded stays. */
async function untilLoaded(logger, options) {
  for (let failures = 0; ; failures += 1) {
    try {
      return await loadHistory(options);
    } catch (error) {
      const max = error.isRateLimited ? MAX_LIMITED_DELAY_MS : MAX_DELAY_MS;
      const grown = Math.min(max, FIRST_DELAY_MS * 2 ** Math.min(failures, 10));
      const delay = Math.max(grown, error.waitMs ?? 0);
      logger.warn({ msg: 'Failed to load finalized history', retry_delay: delay, error });
      await setTimeout(delay);
    }
  }
}
