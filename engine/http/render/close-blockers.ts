import type { z } from 'zod';
import type { CloseBlocker } from '../../contract/shapes/merchant.ts';
import { countOf } from '../../core/count-of.ts';
import type { MerchantStake, TokenAmount } from '../../db/read/merchants/stake.ts';
import { tokenOf } from './product.ts';

type Blocker = z.infer<typeof CloseBlocker>;

/** Obligations that prevent a merchant from closing, in the order in which they end; one entry per kind. */
export function closeBlockers(stake: MerchantStake): Blocker[] {
  const { pending, unclaimed, proceeds, liveCampaigns, openDisputes } = stake;
  const blockers: Blocker[] = [
    {
      kind: 'LIVE_CAMPAIGNS',
      count: liveCampaigns,
      amounts: [],
      message: `${countOf(liveCampaigns, 'campaign takes', 'campaigns take')} sales: end or pause them, with operations.end or operations.pause.`,
    },
    {
      kind: 'OPEN_HOLDS',
      count: pending.sales,
      amounts: amountsOf(pending.held),
      message: `${countOf(pending.sales, 'sale is', 'sales are')} not finalized: refund them with operations.refund, or finalize them with operations.finalize once their hold is over.`,
    },
    {
      kind: 'OPEN_DISPUTES',
      count: openDisputes,
      amounts: [],
      message: `${countOf(openDisputes, 'dispute is', 'disputes are')} open: answer them with disputes.respond, and refund what you accepted.`,
    },
    {
      kind: 'UNCLAIMED_REWARDS',
      count: unclaimed.accounts,
      amounts: amountsOf(unclaimed.rewards),
      message: `${countOf(unclaimed.accounts, 'distributor has', 'distributors have')} rewards to claim: only they can claim them.`,
    },
    {
      kind: 'UNCLAIMED_PROCEEDS',
      count: proceeds.campaigns,
      amounts: amountsOf(proceeds.amounts),
      message: `${countOf(proceeds.campaigns, 'campaign holds', 'campaigns hold')} proceeds of yours: claim them with the transaction of vault.get.`,
    },
  ];
  return blockers.filter((one) => one.count > 0 || one.amounts.length > 0);
}

function amountsOf(amounts: readonly TokenAmount[]): Blocker['amounts'] {
  return amounts.map(({ token, amount }) => ({
    token: tokenOf(token),
    amount: amount.toString(),
  }));
}
