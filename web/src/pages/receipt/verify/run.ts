import { createPublicClient, custom, type EIP1193RequestFn, http } from 'viem';
import type { Address } from '../../../../../engine/core/events.ts';
import type { ReceiptFields } from '../../../../../engine/core/receipt.ts';
import { type Verification, verifySale } from '../../../../../engine/verify/index.ts';
import type { Rpc } from './trust.ts';

/** Questions that one verification asks at most, so that a public RPC is not overrun. */
const MAX_QUESTIONS = 2_000;

/** Milliseconds that the RPC may take for one answer. */
const ANSWER_MS = 20_000;

/** How far a verification is: questions that the RPC was asked, and that it answered. */
export interface Progress {
  readonly requested: number;
  readonly answered: number;
}

export interface RunParameters {
  readonly rpc: Rpc;
  readonly contractAddress: Address;
  /** Chain and sale of the page's address: the service may have answered with another one. */
  readonly chainId: number;
  readonly saleId: string;
  /** The receipt that the page shows; it is compared with the chain. */
  readonly receipt: ReceiptFields;
  /** Hash of block 0 of the receipt's chain, as the service names it. */
  readonly genesisHash: string | undefined;
  /** The block that the receipt was read as of. */
  readonly atBlock: bigint | undefined;
  /** Nothing is searched before it. */
  readonly fromBlock: bigint;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: Progress) => void;
}

/** Verifies a receipt in this browser, against the RPC and nothing else. */
export async function run(parameters: RunParameters): Promise<Verification> {
  const { contractAddress, chainId, saleId } = parameters;
  const { receipt, genesisHash, atBlock, fromBlock } = parameters;
  return await verifySale({
    client: countingClient(parameters),
    contractAddress,
    chainId,
    saleId,
    served: receipt,
    fromBlock,
    atBlock,
    genesisHash,
  });
}

function countingClient({ rpc, signal, onProgress }: RunParameters) {
  const send = senderOf(rpc, signal);
  let [requested, answered] = [0, 0];
  async function request(question: { method: string; params?: unknown }) {
    if (requested >= MAX_QUESTIONS) throw new Error('the verification has asked the RPC too much');
    signal.throwIfAborted();
    requested += 1;
    onProgress({ requested, answered });
    try {
      return await send(question);
    } finally {
      answered += 1;
      onProgress({ requested, answered });
    }
  }
  return createPublicClient({ transport: custom({ request }, { retryCount: 0 }), cacheTime: 0 });
}

type Send = (question: { method: string; params?: unknown }) => Promise<unknown>;

function senderOf(rpc: Rpc, signal: AbortSignal): Send {
  if (rpc.kind === 'wallet') {
    return ({ method, params }) =>
      rpc.wallet.request(Array.isArray(params) ? { method, params } : { method });
  }
  const fetchOptions: RequestInit = {
    credentials: 'omit',
    referrerPolicy: 'no-referrer',
    signal,
  };
  const transport = http(rpc.url, { batch: true, fetchOptions, timeout: ANSWER_MS });
  return transport({ retryCount: 1 }).request as EIP1193RequestFn as Send;
}
