// Guards the requests that Ponder sends to RPCs. Ponder asks several URLs in turn and believes each: one of
// another chain would make it roll back what it has indexed. Here, a URL is asked only once it is known to be of
// the chain, and all are compared again after one failed. It also sends the credentials of a URL, which `Request` refuses.

import { stateAfter } from './rpc-states.mjs';

/** An RPC is of another chain, or cannot show that it is not. */
class OtherChainError extends Error {
  name = 'OtherChainError';
}

/**
 * Replaces `fetch` for requests to the RPCs.
 * @param {typeof fetch} send the real `fetch`.
 * @param {{ chainId: number, startBlock: number, genesisHash?: string, urls: readonly string[], credentials: Readonly<Record<string, string>> }} options
 *   `genesisHash`: by which the ledger has recorded the chain; `credentials`: value of the header `authorization` by URL.
 * @param {(place: number, state: string, until?: number | null) => void} [onState] receives what an RPC did, by its place
 *   among all, from 1.
 * @returns {typeof fetch}
 */
export function guardedFetch(
  send,
  { chainId, startBlock, genesisHash, urls, credentials },
  onState = () => {},
) {
  const rpcs = new Set(urls.map((url) => new URL(url).href));
  const isSeveral = rpcs.size > 1;
  const places = new Map([...rpcs].map((url, index) => [url, index + 1]));
  /** @type {Map<string, Promise<void>>} */
  const known = new Map();
  /** Hashes that the RPCs of this chain returned, by height. @type {Map<number, string>} */
  const hashes = new Map();

  /** @param {string} url @param {string} method @param {readonly unknown[]} params */
  async function ask(url, method, params) {
    const response = await send(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...authorization(url) },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      signal: AbortSignal.timeout(10_000),
    });
    if (!response.ok) throw new Error(`the RPC answered HTTP ${response.status}`);
    return await response.json();
  }

  /** @param {string} url */
  function authorization(url) {
    return credentials[url] === undefined ? {} : { authorization: credentials[url] };
  }

  /**
   * The hash of a block, in a list; empty if the RPC does not serve that block. A refusal is no such answer.
   * @param {string} url @param {number} number @returns {Promise<{ number: number, hash: string }[]>}
   */
  async function hashAt(url, number) {
    const hash = (await block(url, 'eth_getBlockByNumber', `0x${number.toString(16)}`))?.hash;
    return hash ? [{ number, hash: hash.toLowerCase() }] : [];
  }

  /** @param {string} url @param {string} method @param {string} at */
  async function block(url, method, at) {
    const { result, error } = await ask(url, method, [at, false]);
    if (error && !isMissing(error)) throw new Error(`the RPC did not return block ${at}`);
    return result;
  }

  /** As `hasRecorded` there. @param {string} url @param {readonly { number: number, hash: string }[]} served */
  async function hasRecorded(url, served) {
    if (genesisHash === undefined) return false;
    if (served.some(({ hash }) => hash === genesisHash)) return true;
    if (!served.some(({ number }) => number === 0)) return false;
    const number = (await block(url, 'eth_getBlockByHash', genesisHash))?.number;
    if (!number) return false;
    return (await hashAt(url, Number(number))).some(({ hash }) => hash === genesisHash);
  }

  /** As `ChainIdentity` in `engine/chain/identity.ts`. @param {string} url */
  async function check(url) {
    const [id, ...found] = await Promise.all([
      ask(url, 'eth_chainId', []),
      hashAt(url, 0),
      hashAt(url, startBlock),
    ]);
    // A refusal is no answer: nothing is known of the RPC.
    if (typeof id.result !== 'string') throw new Error('the RPC did not say of which chain it is');
    if (Number(id.result) !== chainId) {
      throw new OtherChainError(
        `the RPC is of chain ${Number(id.result)}, not of chain ${chainId}`,
      );
    }
    const served = found.flat();
    const isRecorded = await hasRecorded(url, served);
    if (isRecorded) hashes.clear();
    const shared = served.find(({ number }) => hashes.has(number));
    if (shared === undefined && (served.length === 0 || hashes.size > 0)) {
      throw new OtherChainError('the RPC serves no block that shows of which chain it is');
    }
    if (shared !== undefined && shared.hash !== hashes.get(shared.number)) {
      throw new OtherChainError(`the RPC is of another chain with the id ${chainId}`);
    }
    if (genesisHash !== undefined && !isRecorded && served.some(({ number }) => number === 0)) {
      throw new OtherChainError(
        `the RPC is of another chain with the id ${chainId} than the ledger`,
      );
    }
    for (const { number, hash } of served) hashes.set(number, hash);
  }

  return async (input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    const place = places.get(url);
    if (place === undefined) return await send(input, init);
    try {
      if (isSeveral) {
        if (!known.has(url)) known.set(url, check(url));
        await known.get(url);
      }
      const request = new Request(input, init);
      for (const [name, value] of Object.entries(authorization(url))) {
        request.headers.set(name, value);
      }
      const response = await send(request);
      onState(place, ...(await stateAfter(response)));
      if (response.status >= 500) known.clear();
      return response;
    } catch (error) {
      // As `onChain` in `engine/chain/identity.ts`: a fall-back may follow, to an address where another RPC answers by now.
      known.clear();
      onState(place, error instanceof OtherChainError ? 'other-chain' : 'unreachable');
      throw error;
    }
  };
}

/**
 * True if an RPC says that it does not have a block, because it is unknown to it or pruned (EIP-4444).
 * @param {{ code?: number, message?: string }} error
 */
function isMissing({ code, message = '' }) {
  return (
    [4444, -39_001].includes(code ?? 0) ||
    /unknown block|(?:header|block) not found|prune|historical/i.test(message)
  );
}

/**
 * Takes the credentials out of URLs, because `Request` refuses a URL that has any.
 * @param {readonly string[]} urls
 * @returns {{ urls: string[], credentials: Record<string, string> }}
 */
export function withoutCredentials(urls) {
  /** @type {Record<string, string>} */
  const credentials = {};
  const bare = urls.map((text) => {
    const url = new URL(text);
    const { username, password } = url;
    if (username === '' && password === '') return text;
    url.username = '';
    url.password = '';
    const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    credentials[url.href] = `Basic ${Buffer.from(pair).toString('base64')}`;
    return url.href;
  });
  return { urls: bare, credentials };
}
