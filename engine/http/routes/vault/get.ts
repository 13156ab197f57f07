import type { Address } from '../../../core/events.ts';
import type { CampaignView } from '../../../db/read/campaigns/rows.ts';
import {
  type DueInCampaign,
  dueInCampaignOf,
  readyProceeds,
} from '../../../db/read/sales/due-in-campaigns.ts';
import type { Snapshot } from '../../../db/read/snapshot.ts';
import { vaultsOf } from '../../../db/read/vault/get.ts';
import { readAsOf } from '../../as-of.ts';
import type { AppDeps } from '../../deps.ts';
import { chainMeta, type Handler } from '../../handler-types.ts';
import { amountOf } from '../../render/amount-of.ts';
import { ledgersOf, soldBy } from '../../render/campaign.ts';
import { tokenOf } from '../../render/product.ts';
import { requireOwnCampaign } from '../../resources/campaigns/find-campaign.ts';
import { finalizeCall } from '../../resources/transactions/finalize.ts';
import { commerceCall, unsignedTransaction } from '../../resources/transactions/unsigned.ts';

/** `vault.get`: the ledgers of all campaigns of the caller by token, or those of one campaign. */
export const get: Handler<'vault.get'> = async ({ campaignId, atBlock }, deps, { merchant }) => {
  if (campaignId === undefined) {
    return await readAsOf(deps, atBlock, (snapshot) => allVaults(deps, snapshot, merchant));
  }
  const { campaign, due, clock, chain } = await readAsOf(deps, atBlock, async (snapshot) => {
    const campaign = await requireOwnCampaign(snapshot, campaignId, merchant);
    const due = await dueInCampaignOf(snapshot, campaign);
    const { head } = snapshot;
    const chain = chainMeta(deps.deployment, head, campaign.newestBlock, campaign.campaignId);
    return { campaign, due, clock: head.timestamp, chain };
  });
  const data = {
    campaignId: campaign.campaignId,
    byToken: [
      {
        token: soldBy(campaign).token,
        campaigns: 1,
        ...ledgersOf(campaign.snapshot.ledger),
        proceedsReady: String(campaign.trustMode === 'NATIVE_ONCHAIN' ? due.amount : 0n),
      },
    ],
    // The chain is called after the snapshot, which holds a connection, was released. It has no transaction for the past.
    actions: atBlock === undefined ? await actionsOf(deps, campaign, due, clock) : null,
  };
  return { data, chain };
};

async function allVaults({ deployment }: AppDeps, snapshot: Snapshot, merchant: Address) {
  const [{ vaults, newestBlock }, ready] = await Promise.all([
    vaultsOf(snapshot, merchant),
    readyProceeds(snapshot, merchant),
  ]);
  return {
    data: {
      campaignId: null,
      byToken: vaults.map(({ token, campaigns, ledger }) => ({
        token: tokenOf(token),
        campaigns,
        ...ledgersOf(ledger),
        proceedsReady: String(ready.get(token.address) ?? 0n),
      })),
      actions: null,
    },
    chain: chainMeta(deployment, snapshot.head, newestBlock ?? undefined),
  };
}

/**
 * Transactions that the merchant may sign: finalizing what is due, the claim of proceeds and, once the
 * campaign is over, the withdrawal of the surplus. An expired policy does not end a campaign, because a later version can revive it.
 * @param clock unix seconds of the block read.
 */
async function actionsOf(
  deps: AppDeps,
  campaign: CampaignView,
  { saleIds }: DueInCampaign,
  clock: number,
) {
  const { campaignId, merchant, snapshot, endsAt } = campaign;
  const { proceedsClaimable, available } = campaign.snapshot.ledger;
  const id = BigInt(campaignId);
  const claim = commerceCall(deps.deployment, {
    functionName: 'claimProceeds',
    args: [id],
    description: `Pays you the ${amountOf(proceedsClaimable, campaign)} that finalized sales of campaign ${campaignId} brought in.`,
  });
  const isOver = snapshot.ended || clock >= endsAt;
  const [finalize, claimProceeds, withdrawSurplus] = await Promise.all([
    saleIds.length > 0
      ? unsignedTransaction(deps, merchant, finalizeCall(deps.deployment, saleIds, campaignId))
      : null,
    proceedsClaimable > 0n ? unsignedTransaction(deps, merchant, claim) : null,
    isOver && available > 0n
      ? unsignedTransaction(
          deps,
          merchant,
          commerceCall(deps.deployment, {
            functionName: 'withdrawSurplus',
            args: [id, available],
            description: `Gives you back the ${amountOf(available, campaign)} that nothing is reserved for in campaign ${campaignId}.`,
          }),
        )
      : null,
  ]);
  return { finalize, finalizeSaleIds: [...saleIds], claimProceeds, withdrawSurplus };
}
