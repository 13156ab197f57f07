import { sum } from '../../../core/amounts.ts';
import { countOf } from '../../../core/count-of.ts';
import type { Address } from '../../../core/events.ts';
import { MAX_FINALIZED_SALES } from '../../../core/finalizing.ts';
import { groupBy } from '../../../db/group-by.ts';
import { campaignsById } from '../../../db/read/campaigns/by-id.ts';
import type { CampaignView } from '../../../db/read/campaigns/rows.ts';
import { type ClaimableView, listClaimable } from '../../../db/read/earnings/claimable.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import type { AppDeps } from '../../deps.ts';
import { chainMeta, type Handler } from '../../handler-types.ts';
import { simulatedReason } from '../../render/contract-errors.ts';
import { earnedIn } from '../../render/earnings.ts';
import { type PlannedSteps, simulatedSteps } from '../../resources/operations/prepare.ts';
import { finalizeCall } from '../../resources/transactions/finalize.ts';
import type { PlannedCall } from '../../resources/transactions/planned-call.ts';
import { simulate } from '../../resources/transactions/simulate.ts';
import { commerceCall } from '../../resources/transactions/unsigned.ts';

/** Campaigns of one claim. */
const MAX_CAMPAIGNS = 50;
/** Sales to finalize before it. */
const MAX_SALES = 300;

/** Campaigns whose claims are simulated concurrently, if the claim of all would fail. */
const CONCURRENT = 4;

/**
 * `payouts.prepareAll`: finalizes what is due in all campaigns of the caller, and then claims all rewards. Campaigns
 * whose token would revert the claim are left out: one token must not keep the rewards of others.
 */
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
  const leftOut = await revertingClaims(deps, account, rows);
  const payout = payoutOf(rows.filter(({ campaignId }) => !leftOut.has(campaignId)));
  const { transactions, reasons } = await simulatedSteps(deps, account, stepsOf(deps, payout));
  return {
    data: {
      byToken: totalsOf(payout.rows, campaigns),
      campaignIds: payout.campaignIds,
      saleIds: payout.saleIds,
      leftOut: [...leftOut].map(([campaignId, error]) => ({
        campaignId,
        ...simulatedReason(error),
      })),
      more: payout.more,
      transactions: reasons.length > 0 ? [] : transactions,
      reasons,
    },
    chain,
  };
};

/** Errors of the campaigns whose claim would revert now, by campaign; none if all can be claimed together. */
async function revertingClaims(
  deps: AppDeps,
  account: Address,
  found: readonly ClaimableView[],
): Promise<ReadonlyMap<string, string>> {
  const ids = found
    .slice(0, MAX_CAMPAIGNS)
    .filter(({ claimable }) => claimable > 0n)
    .map(({ campaignId }) => campaignId);
  const errorOf = async (campaignIds: readonly string[]) => {
    const { status, error } = await simulate(deps, account, claimOf(deps, campaignIds));
    return status === 'revert' ? (error ?? 'reverted') : null;
  };
  const reverting = new Map<string, string>();
  if (ids.length === 0 || (await errorOf(ids)) === null) return reverting;
  for (let i = 0; i < ids.length; i += CONCURRENT) {
    const some = ids.slice(i, i + CONCURRENT);
    const errors = await Promise.all(some.map((id) => errorOf([id])));
    for (const [n, error] of errors.entries()) {
      if (error !== null) reverting.set(some[n] ?? '', error);
    }
  }
  return reverting;
}

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

function claimOf({ deployment }: AppDeps, campaignIds: readonly string[]): PlannedCall {
  return commerceCall(deployment, {
    functionName: 'claimRewards',
    args: [campaignIds.map(BigInt)],
    description: `Pays you all rewards that you can claim in ${countOf(campaignIds.length, 'campaign')}.`,
  });
}

function stepsOf(deps: AppDeps, { campaignIds, saleIds }: Payout): PlannedSteps {
  if (campaignIds.length === 0) return [];
  const lists = Array.from({ length: Math.ceil(saleIds.length / MAX_FINALIZED_SALES) }, (_, i) =>
    saleIds.slice(i * MAX_FINALIZED_SALES, (i + 1) * MAX_FINALIZED_SALES),
  );
  const claim = claimOf(deps, campaignIds);
  return [
    ...lists.map((list) => ['FINALIZE', finalizeCall(deps.deployment, list)] as const),
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
