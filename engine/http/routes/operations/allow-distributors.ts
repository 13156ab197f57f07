import type { Address } from '../../../core/events.ts';
import { changesOf } from '../../../core/preview.ts';
import { allowedAmong } from '../../../db/read/partners/nodes.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import type { AppDeps } from '../../deps.ts';
import type { Handler } from '../../handler-types.ts';
import { lowerAddress } from '../../input/address.ts';
import { requireOwnCampaign } from '../../resources/campaigns/find-campaign.ts';
import { type OwnState, ownStateIn } from '../../resources/operations/own-state.ts';
import { type OperationPlan, preparedOperation } from '../../resources/operations/prepare.ts';
import { refuseZero } from '../../resources/operations/refuse-zero.ts';
import { commerceCall } from '../../resources/transactions/unsigned.ts';

/** `operations.allowDistributors`: changes the allow-list, account by account. */
export const allowDistributors: Handler<'operations.allowDistributors'> = async (
  input,
  deps,
  { merchant },
) => {
  const named = input.accounts.map(lowerAddress);
  for (const [i, account] of named.entries()) refuseZero(`accounts.${i}`, account);
  const { own, changing } = await readLedger(deps.pool, async (snapshot) => {
    const campaign = await requireOwnCampaign(snapshot, input.campaignId, merchant);
    const [state, known] = await Promise.all([
      ownStateIn(deps, snapshot, campaign),
      allowedAmong(snapshot, campaign, named),
    ]);
    const accounts = [...new Set(named)].filter((one) => known.has(one) !== input.allowed);
    return { own: state, changing: accounts };
  });
  const plan = planOf(deps, own, changing, input.allowed);
  return { data: await preparedOperation(deps, own, plan), chain: own.chain };
};

/** A transaction for each account whose permission changes. */
function planOf(
  { deployment }: Pick<AppDeps, 'deployment'>,
  { campaign: { campaignId, inviteOnly } }: OwnState,
  changing: readonly Address[],
  allowed: boolean,
): OperationPlan {
  const open = {
    code: 'NO_EFFECT',
    message: 'Everybody may join this campaign: it is not by invitation only.',
  } as const;
  const warnings = inviteOnly ? [] : [open];
  if (changing.length === 0) return { status: 'in_effect', warnings };
  const callOf = (account: Address) =>
    commerceCall(deployment, {
      functionName: 'allowDistributor',
      args: [BigInt(campaignId), account, allowed],
      description: `${allowed ? 'Lets' : 'No longer lets'} ${account} join campaign ${campaignId}.`,
    });
  return {
    status: 'ready',
    steps: changing.map((account) => ['ALLOW', callOf(account)] as const),
    preview: changing.flatMap((id) =>
      changesOf(
        { subject: 'distributor', id },
        { allowed: String(!allowed) },
        { allowed: String(allowed) },
      ),
    ),
    warnings,
  };
}
