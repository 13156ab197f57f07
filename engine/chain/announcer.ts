import { webSocket } from 'viem';
import { ChainIdentity, type IdentifiedBy, WrongChainError } from './identity.ts';

/** Milliseconds that it may take to connect, and to answer a request. */
const TIMEOUT_MS = 5_000;

/**
 * Compares the WebSocket RPC that announces new blocks with the chain, as each RPC of `RPC_URL` is: Ponder believes the
 * blocks that it announces.
 * @returns a sentence that says why it cannot be used, without its URL; `undefined` if it is of the chain.
 */
export async function announcerProblem(
  url: string,
  chain: IdentifiedBy,
): Promise<string | undefined> {
  const transport = webSocket(url, { timeout: TIMEOUT_MS, reconnect: false, retryCount: 0 })({
    retryCount: 0,
  });
  const ask = async (request: { method: string; params: readonly unknown[] }) =>
    (await transport.request(request as never)) as unknown;
  try {
    await new ChainIdentity(chain).check(ask, 1);
    return undefined;
  } catch (error) {
    const isWrong = error instanceof WrongChainError;
    const why = isWrong ? error.message : 'It does not say of which chain it is';
    return `RPC_WS_URL is left out, so that the indexer polls for new blocks until it starts again. ${why}.`;
  } finally {
    await transport.value?.getRpcClient().then(
      (client) => client.close(),
      () => undefined,
    );
  }
}
