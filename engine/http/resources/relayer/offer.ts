import type { Address } from '../../../core/events.ts';
import type { PaymentKind } from '../../../core/signed-order.ts';
import { budgetRefusal, orderRefusals } from '../../../core/signed-order.ts';
import type { Intent } from '../../../db/commerce/intents.ts';
import {
  budgetOf,
  gasSpending,
  newestReport,
  type RelayerReport,
} from '../../../db/commerce/relayer.ts';
import { isOneSignature } from '../../../db/commerce/signed-orders.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import type { AppDeps } from '../../deps.ts';
import { requireCampaign } from '../campaigns/find-campaign.ts';
import { readAllowance } from '../checkout/observe.ts';
import { permitNonce, type TokenDomain, tokenSignatures } from './token-signatures.ts';

/** Why a purchase with one signature is not offered. */
export type OfferRefusal =
  | 'NO_RELAYER'
  | 'NOT_SPONSORED'
  | 'NO_BUDGET'
  | 'STOPPED'
  | 'TOKEN_UNKNOWN'
  | 'TOKEN_WITHOUT_SIGNATURES';

/** How a buyer can pay with one signature. */
export type OfferedPayment =
  | { readonly kind: 'allowance' }
  | { readonly kind: 'permit'; readonly domain: TokenDomain; readonly nonce: bigint }
  | { readonly kind: 'authorization'; readonly domain: TokenDomain };

export type Offer =
  | {
      readonly payment: OfferedPayment;
      readonly merchant: Address;
      readonly relayer: RelayerReport;
      readonly refusal?: undefined;
    }
  | { readonly refusal: OfferRefusal };

/** Milliseconds after which a relayer that reports nothing is not running. */
const REPORT_MS = 120_000;
/** Gas of a purchase at least: a relayer that cannot pay for it offers nothing. */
const LEAST_GAS = 200_000n;

const sentences: { readonly [R in OfferRefusal]: string } = {
  NO_RELAYER: 'No relayer sends signed orders now.',
  NOT_SPONSORED: 'The merchant does not offer purchases with one signature.',
  NO_BUDGET: orderRefusals.NO_BUDGET,
  STOPPED: orderRefusals.STOPPED,
  TOKEN_UNKNOWN: 'The chain did not answer by which signatures the token can be paid with.',
  TOKEN_WITHOUT_SIGNATURES: 'The token cannot be paid with a signature, as far as it says.',
};

/** Refusal of an offer, in words. */
export function offerReason(refusal: OfferRefusal) {
  return { code: refusal, message: sentences[refusal] };
}

/**
 * Whether a buyer can pay for an intent with one signature, and how. It calls the chain: use it outside of `readLedger`.
 * @param only the payment that the buyer has chosen; without it, the best one is offered.
 */
export async function offerOf(deps: AppDeps, intent: Intent, only?: PaymentKind): Promise<Offer> {
  const { pool, clock } = deps;
  const now = clock();
  const relayer = await newestReport(pool);
  if (relayer === undefined || !isAble(relayer, now)) return { refusal: 'NO_RELAYER' };
  const { merchant } = await readLedger(pool, (snapshot) =>
    requireCampaign(snapshot, intent.campaignId),
  );
  const sold = { campaignId: intent.campaignId, merchant };
  if (!(await isOneSignature(pool, sold))) return { refusal: 'NOT_SPONSORED' };
  const [spent, budget] = await Promise.all([
    gasSpending(pool, merchant, new Date(now)),
    budgetOf(pool, merchant, relayer),
  ]);
  const refusal = budgetRefusal(spent, budget, LEAST_GAS * relayer.feePerGas);
  if (refusal !== null) return { refusal };
  const payment = await paymentFor(deps, intent, only);
  return typeof payment === 'string' ? { refusal: payment } : { payment, merchant, relayer };
}

/** True if a relayer has reported lately. */
export function isRunning(
  relayer: Pick<RelayerReport, 'seenAt'> | null | undefined,
  now: number,
): boolean {
  return relayer != null && now - relayer.seenAt.getTime() < REPORT_MS;
}

function isAble(relayer: RelayerReport, now: number): boolean {
  const { balance, feePerGas, maxFeePerGas } = relayer;
  return isRunning(relayer, now) && feePerGas <= maxFeePerGas && balance >= LEAST_GAS * feePerGas;
}

async function paymentFor(
  deps: AppDeps,
  { token: { address: token }, buyer, amount }: Intent,
  only: PaymentKind | undefined,
): Promise<OfferedPayment | Extract<OfferRefusal, `TOKEN_${string}`>> {
  const isWanted = (kind: PaymentKind) => only === undefined || only === kind;
  const [signatures, allowance] = await Promise.all([
    tokenSignatures(deps, token),
    isWanted('allowance') ? readAllowance(deps, { token, buyer }) : null,
  ]);
  const { domain = null, authorization = false, permit = false } = signatures ?? {};
  if (isWanted('authorization') && domain !== null && authorization) {
    return { kind: 'authorization', domain };
  }
  if (allowance !== null && allowance >= amount) return { kind: 'allowance' };
  if (isWanted('permit') && domain !== null && permit) {
    const nonce = await permitNonce(deps, token, buyer);
    return nonce === null ? 'TOKEN_UNKNOWN' : { kind: 'permit', domain, nonce };
  }
  return signatures === null ? 'TOKEN_UNKNOWN' : 'TOKEN_WITHOUT_SIGNATURES';
}
