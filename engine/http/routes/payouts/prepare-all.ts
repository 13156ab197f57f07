import { sum } from '../../../core/amounts.ts';
import { countOf } from '../../../core/count-of.ts';
import { MAX_FINALIZED_SALES } from '../../../core/finalizing.ts';
import { groupBy } from '../../../db/group-by.ts';
import { campaignsById } from '../../../db/read/campaigns/by-id.ts';
import type { CampaignView } from '../../../db/read/campaigns/rows.ts';
import { type ClaimableView, listClaimable } from '../../../db/read/earnings/claimable.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import type { AppDeps } from '../../deps.ts';
import { chainMeta, type Handler } from '../../handler-types.ts';
import { earnedIn } from '../../render/earnings.ts';
import { type PlannedSteps, simulatedSteps } from '../../resources/operations/prepare.ts';
import { finalizeCall } from '../../resources/transactions/finalize.ts';
import { commerceCall } from '../../resources/transactions/unsigned.ts';

/** Campaigns of one claim. */
const MAX_CAMPAIGNS = 50;
/** Sales to finalize before it. */
const MAX_SALES = 300;

/** `payouts.prepareAll`: finalizes what is due in all campaigns of the caller, and then claims all rewards. */
export const prepareAll: Handler<'payouts.prepareAll'> = async (_input, deps, { account }) => {
  const { rows, campaigns, chain } = await readLedger(deps.pool, async (snapshot) => {
    const limit = MAX_CAMPAIGNS + 1;
    const rows = await listClaimable(snapshot, account, { after: undefined, limit });
    const campaigns = await campaignsById(
      snapshot,
      rows.map(({ campaignId }) => campaignId),
    );
    return { rows, campaigns, chain: chainMeta(deps.deployment, snapshot.head) };
  });
  const payout = payoutOf(rows);
  const { transactions, reasons } = await simulatedSteps(deps, account, stepsOf(deps, payout));
  return {
    data: {
      byToken: totalsOf(payout.rows, campaigns),
      campaignIds: payout.campaignIds,
      saleIds: payout.saleIds,
      more: payout.more,
      transactions: reasons.length > 0 ? [] : transactions,
      reasons,
    },
    chain,
  };
};

interface Payout {
  /** Campaigns that the claim pays, with what it pays. */
  readonly rows: readonly ClaimableView[];
  readonly campaignIds: string[];
  readonly saleIds: string[];
  readonly more: boolean;
}

/** @param found as `listClaimable` returns them: one more than a claim takes if there are more. */
function payoutOf(found: readonly ClaimableView[]): Payout {
  const due = found.slice(0, MAX_CAMPAIGNS).flatMap((row) => row.saleIds);
  const saleIds = due.slice(0, MAX_SALES);
  const chosen = new Set(saleIds);
  const rows = found
    .slice(0, MAX_CAMPAIGNS)
    .filter((row) => row.claimable > 0n || row.saleIds.some((id) => chosen.has(id)));
  const isCut = found.some((row) => row.saleIds.length >= MAX_FINALIZED_SALES);
  return {
    rows,
    campaignIds: rows.map(({ campaignId }) => campaignId),
    saleIds,
    more: found.length > MAX_CAMPAIGNS || due.length > MAX_SALES || isCut,
  };
}

function stepsOf({ deployment }: AppDeps, { campaignIds, saleIds }: Payout): PlannedSteps {
  if (campaignIds.length === 0) return [];
  const lists = Array.from({ length: Math.ceil(saleIds.length / MAX_FINALIZED_SALES) }, (_, i) =>
    saleIds.slice(i * MAX_FINALIZED_SALES, (i + 1) * MAX_FINALIZED_SALES),
  );
  const claim = commerceCall(deployment, {
    functionName: 'claimRewards',
    args: [campaignIds.map(BigInt)],
    description: `Pays you all rewards that you can claim in ${countOf(campaignIds.length, 'campaign')}.`,
  });
  return [
    ...lists.map((list) => ['FINALIZE', finalizeCall(deployment, list)] as const),
    ['CLAIM', saleIds.length > 0 ? { ...claim, waits: true } : claim],
  ];
}

function totalsOf(rows: readonly ClaimableView[], campaigns: ReadonlyMap<string, CampaignView>) {
  const paid = rows.flatMap((row) => {
    const campaign = campaigns.get(row.campaignId);
    return campaign ? [{ row, token: earnedIn(campaign).token }] : [];
  });
  const groups = groupBy(
    paid,
    ({ token }) => token.address,
    (one) => one,
  );
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const total = (field: 'claimable' | 'readyToFinalize') =>
      sum(group.map(({ row }) => row[field])).toString();
    return [
      {
        token: first.token,
        campaigns: group.length,
        claimable: total('claimable'),
        readyToFinalize: total('readyToFinalize'),
      },
    ];
  });
}
