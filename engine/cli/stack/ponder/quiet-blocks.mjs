/*
 * Ponder requests every block between two polls. On a chain with four blocks a second these are 14,400 an hour, nearly all
 * without an event of the contract. Blocks in which nothing happened to it are left out of Ponder's local chain instead.
 */

/** Blocks between two polls that are requested one by one: to prove that they are quiet costs three or four calls. */
const MAX_SINGLE = 2;
/** Blocks that may be left out together: after a reorg, Ponder walks back over them one by one. */
const MAX_QUIET = 1_000;

/** Milliseconds without another attempt after one that no RPC answered. */
const PAUSE_MS = 300_000;
const TIMEOUT_MS = 5_000;

/** True if a block can have no log, because it has no transaction: a bloom of zeros alone proves nothing. */
export function hasNoLogs({ transactions }) {
  return transactions?.length === 0;
}

/**
 * Makes a function that says if nothing happened to the contract between two blocks, and in the second one.
 * It needs three answers of one RPC. The contract's storage has the same root as of both blocks (the second is named by its
 * hash, so that an RPC that lags has no answer): nothing was sold, paid or changed. The range has no log of the contract:
 * some events change no storage. And the first block is still the chain's own.
 */
export function quietBlocks({ urls, address, send, clock = Date.now }) {
  /** Storage roots by block hash, of the last block. */
  let known = { hash: undefined, root: undefined };
  let pausedUntil = Number.NEGATIVE_INFINITY;

  async function ask(url, method, params) {
    const response = await send(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const { result } = response.ok ? await response.json() : {};
    if (result === undefined || result === null) throw new Error(`no answer to ${method}`);
    return result;
  }

  async function rootAt(url, blockHash) {
    if (blockHash === known.hash) return known.root;
    const { storageHash } = await ask(url, 'eth_getProof', [address, [], { blockHash }]);
    if (typeof storageHash !== 'string') throw new Error('no storage root');
    return storageHash;
  }

  async function isQuietAt(url, from, to) {
    const range = { address, fromBlock: hex(Number(from.number) + 1), toBlock: to.number };
    const [before, after, logs, block] = await Promise.all([
      rootAt(url, from.hash),
      rootAt(url, to.hash),
      ask(url, 'eth_getLogs', [range]),
      ask(url, 'eth_getBlockByNumber', [from.number, false]),
    ]);
    known = { hash: to.hash, root: after };
    return before === after && logs.length === 0 && block.hash === from.hash;
  }

  return async (from, to) => {
    const between = Number(to.number) - Number(from.number) - 1;
    if (between <= MAX_SINGLE || between > MAX_QUIET || clock() < pausedUntil) return false;
    for (const url of urls) {
      try {
        return await isQuietAt(url, from, to);
      } catch {
        // Another RPC may answer. Without any, Ponder requests each block, as it always did.
      }
    }
    pausedUntil = clock() + PAUSE_MS;
    return false;
  };
}

function hex(number) {
  return `0x${number.toString(16)}`;
}

/** Made at the first call: by then, `fetch` is the guarded one (`chain-guard.mjs`). */
let ofProcess;

/** `quietBlocks` for the RPCs and the contract of this process. */
export async function isQuiet(from, to) {
  ofProcess ??= quietBlocks({
    urls: [...new Set(process.env.RPC_URL.split(','))],
    address: process.env.CONTRACT_ADDRESS.toLowerCase(),
    send: fetch,
  });
  return await ofProcess(from, to);
}
