import type { Address } from '../../../core/events.ts';
import { changesOf, type FieldValues } from '../../../core/preview.ts';
import { type AttesterView, attestersOf } from '../../../db/read/operations/attesters.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import type { AppDeps } from '../../deps.ts';
import { unprocessable } from '../../errors.ts';
import type { Handler } from '../../handler-types.ts';
import { lowerAddress } from '../../input/address.ts';
import { amountOf } from '../../render/amount-of.ts';
import { isoTime } from '../../render/time.ts';
import { requireOwnCampaign } from '../../resources/campaigns/find-campaign.ts';
import { type OwnState, ownStateIn } from '../../resources/operations/own-state.ts';
import { type OperationPlan, preparedOperation } from '../../resources/operations/prepare.ts';
import { refuseZero } from '../../resources/operations/refuse-zero.ts';
import { secondsOf } from '../../resources/publish/issues.ts';
import { commerceCall } from '../../resources/transactions/unsigned.ts';

type Limits = Omit<AttesterView, 'account'>;

/** Limits of an attester that is not allowed; `expiry` 0 withdraws a permission. */
const NO_PERMISSION: Limits = { perOrder: 0n, daily: 0n, expiry: 0 };

/** `operations.allowAttester`: who may attest sales of a THIRD_PARTY_VERIFIED campaign, and how much. */
export const allowAttester: Handler<'operations.allowAttester'> = async (
  input,
  deps,
  { merchant },
) => {
  const account = lowerAddress(input.account);
  refuseZero('account', account);
  if (account === merchant) {
    const message = 'must not be yourself: the contract accepts no attestation by the merchant';
    throw unprocessable('You cannot attest your own sales.', [{ path: 'account', message }]);
  }
  const { own, before } = await readLedger(deps.pool, async (snapshot) => {
    const campaign = await requireOwnCampaign(snapshot, input.campaignId, merchant);
    const [state, [known]] = await Promise.all([
      ownStateIn(deps, snapshot, campaign),
      attestersOf(snapshot, campaign, [account]),
    ]);
    return { own: state, before: known ?? NO_PERMISSION };
  });
  const plan = planOf(deps, own, { account, before, after: limitsOf(input, own) });
  return { data: await preparedOperation(deps, own, plan), chain: own.chain };
};

/** @throws {HttpError} UNPROCESSABLE if the permission would have expired already. */
function limitsOf(
  { perOrder, daily, expiry }: Parameters<Handler<'operations.allowAttester'>>[0],
  { clock }: OwnState,
): Limits {
  if (perOrder === undefined || daily === undefined || expiry === undefined) return NO_PERMISSION;
  const limits = { perOrder: BigInt(perOrder), daily: BigInt(daily), expiry: secondsOf(expiry) };
  if (limits.expiry > clock) return limits;
  const message = `must be after the settled block, whose time is ${isoTime(clock)}`;
  throw unprocessable('The permission would have expired.', [{ path: 'expiry', message }]);
}

function planOf(
  { deployment }: Pick<AppDeps, 'deployment'>,
  { campaign }: OwnState,
  {
    account,
    before,
    after,
  }: { readonly account: Address; readonly before: Limits; readonly after: Limits },
): OperationPlan {
  const { campaignId, trustMode } = campaign;
  const unused = {
    code: 'NO_EFFECT',
    message: `Sales of this campaign need no attester: its trust mode is ${trustMode}.`,
  } as const;
  const warnings = trustMode === 'THIRD_PARTY_VERIFIED' ? [] : [unused];
  const preview = changesOf(
    { subject: 'attester', id: account },
    valuesOf(before),
    valuesOf(after),
  );
  if (preview.length === 0) return { status: 'in_effect', warnings };
  const { perOrder, daily, expiry } = after;
  const call = commerceCall(deployment, {
    functionName: 'allowAttester',
    args: [BigInt(campaignId), account, perOrder, daily, BigInt(expiry)],
    description:
      expiry === 0
        ? `No longer lets ${account} attest sales of campaign ${campaignId}.`
        : `Lets ${account} attest sales of campaign ${campaignId}: at most ${amountOf(perOrder, campaign)} each and ${amountOf(daily, campaign)} in a day (UTC), until ${isoTime(expiry)}.`,
  });
  return { status: 'ready', steps: [['ALLOW', call]], preview, warnings };
}

function valuesOf({ perOrder, daily, expiry }: Limits): FieldValues {
  if (expiry === 0) return { allowed: 'false', perOrder: null, daily: null, expiry: null };
  return {
    allowed: 'true',
    perOrder: String(perOrder),
    daily: String(daily),
    expiry: isoTime(expiry),
  };
}
