import { readLedger } from '../../../db/read/snapshot.ts';
import type { AppDeps } from '../../deps.ts';
import { unprocessable } from '../../errors.ts';
import type { Handler } from '../../handler-types.ts';
import { lowerAddress } from '../../input/address.ts';
import { lowerHash } from '../../input/hash.ts';
import {
  attesterReasons,
  nodeOwnerOf,
  nonceOf,
  type OrderState,
  orderEffects,
  orderErrors,
  readOrder,
  selfReferralErrors,
  signersOf,
} from '../../resources/attestations/order.ts';
import { requireOwnCampaign } from '../../resources/campaigns/find-campaign.ts';
import { chosenSku } from '../../resources/checkout/choice.ts';
import {
  MAX_VALIDITY_SECONDS,
  nextBlockTime,
  nextBlockTimeOrNull,
  nextDeadline,
} from '../../resources/operations/deadline.ts';
import {
  type OperationPlan,
  preparedOperation,
  refused,
} from '../../resources/operations/prepare.ts';
import { typedData } from '../../resources/operations/typed-data.ts';
import { secondsOf } from '../../resources/publish/issues.ts';

type Input = Parameters<Handler<'attestations.prepare'>>[0];

/** `attestations.prepare`: the EIP-712 message of a sale that was paid outside the contract. */
export const prepare: Handler<'attestations.prepare'> = async (input, deps, { merchant }) => {
  const now = await nextBlockTimeOrNull(deps);
  const found = await readLedger(deps.pool, async (snapshot) => {
    const campaign = await requireOwnCampaign(snapshot, input.campaignId, merchant);
    const order = {
      buyer: lowerAddress(input.buyer),
      nodeId: input.nodeId ?? '0',
      amount: BigInt(input.amount),
      orderKey: lowerHash(input.orderKey),
      skuHash: chosenSku(campaign, input).skuHash,
    };
    return await readOrder(deps, snapshot, campaign, { order, now });
  });
  const plan = planOf(found);
  const { transactions: _none, ...data } = await preparedOperation(deps, found, plan);
  const isReady = data.status === 'ready';
  const message = isReady ? await messageOf(deps, found, input) : null;
  return {
    data: {
      ...data,
      saleId: found.saleId,
      signers: signersOf(found),
      attestation: message,
      ...(message
        ? typedData(deps, 'SaleAttestation', message)
        : { typedData: null, digest: null }),
    },
    chain: found.chain,
  };
};

/** There is nothing to simulate before the signature. */
function planOf(found: OrderState): OperationPlan {
  if (found.saleId !== null) return { status: 'in_effect' };
  const errors = [...orderErrors(found), ...attesterReasons(found), ...selfReferralErrors(found)];
  if (errors.length > 0) return refused(...errors);
  return { status: 'ready', steps: [], ...orderEffects(found) };
}

async function messageOf(deps: AppDeps, found: OrderState, input: Input) {
  const { order, campaign } = found;
  const { campaignId, termsHash } = campaign;
  return {
    campaignId,
    termsHash,
    buyer: order.buyer,
    nodeId: order.nodeId,
    nodeOwner: nodeOwnerOf(found),
    amount: String(order.amount),
    orderKey: order.orderKey,
    skuHash: order.skuHash,
    nonce: String(nonceOf(termsHash, order)),
    deadline: String(await deadlineOf(deps, input.deadline)),
  };
}

/** @throws {HttpError} UNPROCESSABLE if the deadline is more than 900 seconds ahead, or has passed. */
async function deadlineOf(deps: AppDeps, wanted: string | undefined): Promise<bigint> {
  if (wanted === undefined) return await nextDeadline(deps);
  const [deadline, now] = [secondsOf(wanted), await nextBlockTime(deps)];
  if (deadline >= now && deadline <= now + MAX_VALIDITY_SECONDS) return BigInt(deadline);
  const message = `must be at most ${MAX_VALIDITY_SECONDS} seconds after the next block, and not before it`;
  throw unprocessable('The contract would refuse this deadline.', [{ path: 'deadline', message }]);
}
