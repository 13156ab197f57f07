import {
  type Address,
  BaseError,
  createPublicClient,
  custom,
  type Hex,
  type PublicClient,
  RpcRequestError,
} from 'viem';
import { NotReadyError } from '../errors.ts';
import { inTime } from '../in-time.ts';

/** Milliseconds that the RPC may take over one signature. */
const DEADLINE_MS = 8_000;
/** Questions to the RPC that one signature may cost. */
const REQUESTS_MOST = 8;

/**
 * Whether that account signed the message: by its key, else as a contract wallet, by ERC-1271 or,
 * where it is yet to be deployed, by ERC-6492. Only the latter two ask the chain.
 * @throws {NotReadyError} where the chain was asked and gave no answer.
 */
export async function isSignedBy(
  client: PublicClient,
  { address, message, signature }: { address: Address; message: string; signature: Hex },
): Promise<boolean> {
  const outage = { seen: false };
  const asking = boundedClient(client, outage);
  // viem throws at a signature that nothing can be made of: it is a wrong one.
  const signed = await asking
    .verifyMessage({ address, message, signature, mode: 'eoa' })
    .catch(() => false);
  if (signed || !outage.seen) return signed;
  const text = 'The chain does not answer just now: ask for a new nonce and try again.';
  throw new NotReadyError([{ path: 'chain', message: text }]);
}

/**
 * The same chain, for so many questions and so long, that notes when it does not answer. A wallet is
 * a stranger's code: it may not send us to servers of its choice (CCIP read, ERC-3668).
 */
function boundedClient(client: PublicClient, outage: { seen: boolean }): PublicClient {
  const deadline = Date.now() + DEADLINE_MS;
  let left = REQUESTS_MOST;
  const request = async (question: { method: string; params?: unknown }) => {
    left -= 1;
    try {
      if (left < 0) throw new Error('the signature has asked the RPC too much');
      return await inTime(
        custom({ request: client.request }, { retryCount: 0 })({ retryCount: 0 }).request(question),
        deadline - Date.now(),
      );
    } catch (error) {
      if (!isAnswer(error)) outage.seen = true;
      throw error;
    }
  };
  return createPublicClient({
    transport: custom({ request }, { retryCount: 0 }),
    cacheTime: 0,
    ccipRead: false,
  });
}

/** Whether the RPC answered, if only that the call reverts. */
function isAnswer(error: unknown): boolean {
  return error instanceof BaseError && error.walk((one) => one instanceof RpcRequestError) !== null;
}
