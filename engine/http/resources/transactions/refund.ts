import { keccak256, stringToHex } from 'viem';
import { referralCommerceAbi } from '../../../../abis/index.ts';
import { isRevert } from '../../../chain/errors.ts';
import { amountText, shortAddress } from '../../../core/amount-text.ts';
import type { Hex } from '../../../core/events.ts';
import type { CampaignView } from '../../../db/read/campaigns/rows.ts';
import type { OrderRef } from '../../../db/read/sales/by-order.ts';
import type { AppDeps } from '../../deps.ts';
import { notReady } from '../../errors.ts';
import { CHAIN_ANSWER_MS, withTimeout } from '../../limits/with-timeout.ts';
import type { PlannedCall } from './planned-call.ts';
import { commerceCall } from './unsigned.ts';

/** Reason hash of a refund that fulfils a dispute: keccak-256 of the dispute's id. */
export function disputeReasonHash(disputeId: string): Hex {
  return keccak256(stringToHex(disputeId));
}

/** Reference to a sale in a transaction. It is not the sale id, because a reorg can give that to another sale. */
export type SaleRef = OrderRef & Pick<CampaignView, 'termsHash'>;

/** An attester's signature of a refund or a reversal. */
export interface SignedApproval {
  /** Unix seconds, as it was signed. */
  readonly deadline: bigint;
  readonly signature: Hex;
}

/** Empty signature, for campaigns in which no attester has to sign. */
export const NO_APPROVAL: SignedApproval = { deadline: 0n, signature: '0x' };

/** Call with which a merchant refunds an amount (base units) of a sale. */
export function refundCall(
  { deployment }: Pick<AppDeps, 'deployment'>,
  {
    sale,
    amount,
    reasonHash,
    token,
    approval = NO_APPROVAL,
  }: {
    sale: SaleRef & { readonly saleId: string };
    amount: bigint;
    reasonHash: Hex;
    token: { readonly symbol: string; readonly decimals: number };
    approval?: SignedApproval;
  },
): PlannedCall {
  const { campaignId, termsHash, buyer, orderKey } = sale;
  const saleRef = { campaignId: BigInt(campaignId), termsHash, buyer, orderKey };
  return commerceCall(deployment, {
    functionName: 'refund',
    args: [saleRef, amount, reasonHash, approval.deadline, approval.signature],
    description: `Refunds ${amountText(amount, token)} to ${shortAddress(buyer)} for sale ${sale.saleId}.`,
  });
}

/**
 * Refunded total of a sale at the newest block, base units. Refunds add up, so one that is not settled yet must
 * not be requested again.
 * @returns `known` if the chain no longer has the sale.
 * @throws {HttpError} NOT_READY if the chain does not answer: the refund may be on it.
 */
export async function refundedNow(
  { client, deployment }: Pick<AppDeps, 'client' | 'deployment'>,
  { campaignId, buyer, orderKey }: OrderRef,
  known: bigint,
): Promise<bigint> {
  const contract = { address: deployment.contractAddress, abi: referralCommerceAbi } as const;
  const read = async () => {
    const saleId = await client.readContract({
      ...contract,
      functionName: 'saleIdOf',
      args: [BigInt(campaignId), buyer, orderKey],
    });
    const { refundedTotal } = await client.readContract({
      ...contract,
      functionName: 'sale',
      args: [BigInt(saleId)],
    });
    return refundedTotal > known ? refundedTotal : known;
  };
  return await withTimeout(read(), CHAIN_ANSWER_MS).catch((error: unknown) => {
    if (isRevert(error)) return known;
    throw notReady(
      'chain',
      'The chain did not answer what it has refunded of the sale: try again.',
    );
  });
}
