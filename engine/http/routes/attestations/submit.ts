import { recoverAddress } from 'viem';
import type { Address, Hex } from '../../../core/events.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import type { AppDeps } from '../../deps.ts';
import type { Handler } from '../../handler-types.ts';
import { lowerAddress } from '../../input/address.ts';
import { lowerHash } from '../../input/hash.ts';
import { amountOf } from '../../render/amount-of.ts';
import type { Attester } from '../../resources/attestations/limits.ts';
import {
  attesterReasons,
  nodeOwnerOf,
  type OrderState,
  orderEffects,
  orderErrors,
  readOrder,
  selfReferralErrors,
} from '../../resources/attestations/order.ts';
import { requireCampaign } from '../../resources/campaigns/find-campaign.ts';
import { nextBlockTimeOrNull } from '../../resources/operations/deadline.ts';
import {
  type OperationPlan,
  preparedOperation,
  type Refusal,
  refused,
} from '../../resources/operations/prepare.ts';
import { typedData } from '../../resources/operations/typed-data.ts';
import type { PlannedCall } from '../../resources/transactions/planned-call.ts';
import { commerceCall } from '../../resources/transactions/unsigned.ts';

type Input = Parameters<Handler<'attestations.submit'>>[0];
type Attestation = Input['attestation'];

/** An attestation with its signature, and the order that it is about at the settled block. */
interface Submitted {
  readonly found: OrderState;
  readonly attestation: Attestation;
  readonly signature: Hex;
  /** Account whose key signed; `null` if it is no signature of a key, such as that of a contract wallet. */
  readonly recovered: Address | null;
  /** That account, if the merchant has allowed it to attest; its limits may still refuse the sale. */
  readonly attester: Attester | undefined;
}

/** `attestations.submit`: the transaction that records a signed sale. Any account may send it. */
export const submit: Handler<'attestations.submit'> = async (input, deps, { account }) => {
  const submitted = await readSubmitted(deps, input);
  const { found, recovered } = submitted;
  const prepared = await preparedOperation(deps, found, planOf(deps, submitted), account);
  const { merchant, trustMode } = found.campaign;
  const status = prepared.transactions[0]?.transaction.simulation.status;
  // A contract wallet signs for the merchant if the contract accepts the signature.
  const isMerchants =
    trustMode === 'MERCHANT_ATTESTED' && (recovered === merchant || status === 'success');
  const signer = isMerchants ? merchant : (submitted.attester?.account ?? null);
  const unchecked = {
    code: 'UNCHECKED_SIGNATURE',
    message: 'No key of the merchant signed, and the chain could not check a contract wallet now.',
  } as const;
  return {
    data: {
      ...prepared,
      warnings: [
        ...prepared.warnings,
        ...(prepared.status === 'ready' && signer === null ? [unchecked] : []),
      ],
      saleId: found.saleId,
      signer,
    },
    chain: found.chain,
  };
};

async function readSubmitted(deps: AppDeps, input: Input): Promise<Submitted> {
  const { signature } = input;
  const attestation = lowerCase(input.attestation);
  const { campaignId, buyer, nodeId, orderKey, skuHash, amount } = attestation;
  const [recovered, now] = await Promise.all([
    recoveredFrom(deps, attestation, signature),
    nextBlockTimeOrNull(deps),
  ]);
  return await readLedger(deps.pool, async (snapshot) => {
    const campaign = await requireCampaign(snapshot, campaignId);
    const order = { buyer, nodeId, orderKey, skuHash, amount: BigInt(amount) };
    const among = recovered === null ? [] : [recovered];
    const found = await readOrder(deps, snapshot, campaign, { order, now, among });
    const [attester] = found.attesters;
    return { found, attestation, signature, recovered, attester };
  });
}

function lowerCase(attestation: Attestation): Attestation {
  const { termsHash, buyer, nodeOwner, orderKey, skuHash } = attestation;
  return {
    ...attestation,
    termsHash: lowerHash(termsHash),
    buyer: lowerAddress(buyer),
    nodeOwner: lowerAddress(nodeOwner),
    orderKey: lowerHash(orderKey),
    skuHash: lowerHash(skuHash),
  };
}

async function recoveredFrom(
  deps: AppDeps,
  attestation: Attestation,
  signature: Hex,
): Promise<Address | null> {
  // Numbers of things that were never on a chain cannot be signed.
  if (!/^[0-9]+$/.test(attestation.campaignId + attestation.nodeId)) return null;
  const { digest } = typedData(deps, 'SaleAttestation', attestation);
  const signer = await recoverAddress({ hash: digest, signature }).catch(() => null);
  return signer && lowerAddress(signer);
}

function planOf({ deployment }: AppDeps, submitted: Submitted): OperationPlan {
  const { found, attestation, signature } = submitted;
  if (found.saleId !== null) return { status: 'in_effect' };
  const errors = submittedErrors(submitted);
  if (errors.length > 0) return refused(...errors);
  const call: PlannedCall = commerceCall(deployment, {
    functionName: 'recordAttestedSale',
    args: [
      {
        ...attestation,
        campaignId: BigInt(attestation.campaignId),
        nodeId: BigInt(attestation.nodeId),
        amount: BigInt(attestation.amount),
        nonce: BigInt(attestation.nonce),
        deadline: BigInt(attestation.deadline),
      },
      signature,
    ],
    description: `Records the sale of order ${attestation.orderKey} in campaign ${attestation.campaignId}: ${amountOf(BigInt(attestation.amount), found.campaign)}, paid elsewhere.`,
  });
  return { status: 'ready', steps: [['RECORD_SALE', call]], ...orderEffects(found) };
}

/** Errors of the order, and of its attestation and signature. */
function submittedErrors({ found, attestation, recovered }: Submitted): Refusal[] {
  const { termsHash, trustMode } = found.campaign;
  const isUnsigned = trustMode === 'THIRD_PARTY_VERIFIED' && recovered === null;
  const errors: (Refusal | false)[] = [
    attestation.termsHash !== termsHash && 'WrongTerms',
    ...orderErrors(found),
    attestation.nodeOwner !== nodeOwnerOf(found) && 'WrongNodeOwner',
    BigInt(attestation.deadline) < BigInt(found.clock) && 'SignatureExpired',
    ...(isUnsigned ? (['InvalidSignature'] as const) : attesterReasons(found)),
    ...selfReferralErrors(found),
  ];
  return errors.filter((one) => one !== false);
}
