/*
 * Ponder requests the logs of a new block by its hash. If a reorg replaces that block first, the RPC
 * returns an error, and Ponder retries ten times in 64 s while everything behind it waits. The error
 * alone does not say that the block is gone: an RPC that is behind returns the same.
 */

/**
 * True if a failed request is about a block that the chain has replaced. Asks the RPC that failed for
 * the block at that height: only another hash there counts.
 * @param request sends one JSON-RPC request, without retries.
 * @param body the request that failed.
 * @param blockNumber the height of the block that the request is about, hex; undefined for others.
 */
export async function isOfReplacedBlock(request, body, blockNumber) {
  const hash = body.params?.[0]?.blockHash;
  if (hash === undefined || blockNumber === undefined) return false;
  try {
    const block = await request({ method: 'eth_getBlockByNumber', params: [blockNumber, false] });
    return typeof block?.hash === 'string' && block.hash !== hash;
  } catch {
    return false;
  }
}
