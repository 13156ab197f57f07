import { keccak256, stringToHex } from 'viem';
import { referralCommerceAbi } from '../../../abis/index.ts';
import type { Hex } from '../../core/events.ts';
import type { AppDeps } from '../deps.ts';
import { inTime } from '../in-time.ts';
import type { PlannedCall } from './planned-call.ts';
import { commerceCall } from './unsigned.ts';

/** What a refund that answers a dispute carries as its reason: keccak-256 of the dispute's id. */
export function disputeReasonHash(disputeId: string): Hex {
  return keccak256(stringToHex(disputeId));
}

/** The refund of a sale, base units, by its merchant, where no attester has to sign. */
export function refundCall(
  { deployment }: Pick<AppDeps, 'deployment'>,
  {
    saleId,
    amount,
    reasonHash,
    symbol,
  }: { saleId: string; amount: bigint; reasonHash: Hex; symbol: string },
): PlannedCall {
  return commerceCall(deployment, {
    functionName: 'refund',
    args: [BigInt(saleId), amount, reasonHash, 0n, '0x'],
    description: `Refunds ${amount} base units of ${symbol} of sale ${saleId} to its buyer.`,
  });
}

/** Milliseconds that the chain has to say what it refunded. */
const ANSWER_MS = 5_000;

/**
 * What a sale has given back at the newest block, base units: refunds add up, so one that is not
 * settled yet must not be asked for again.
 * @returns `known` where the chain does not answer.
 */
export async function refundedNow(
  { client, deployment }: Pick<AppDeps, 'client' | 'deployment'>,
  saleId: string,
  known: bigint,
): Promise<bigint> {
  const asked = client
    .readContract({
      address: deployment.contractAddress,
      abi: referralCommerceAbi,
      functionName: 'sale',
      args: [BigInt(saleId)],
    })
    .then(({ refundedTotal }) => (refundedTotal > known ? refundedTotal : known));
  return await inTime(asked, ANSWER_MS).catch(() => known);
}
