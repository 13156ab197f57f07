import type { Address } from '../../../core/events.ts';
import type { CampaignView } from '../../../db/read/campaigns/rows.ts';
import { type ClaimableView, listClaimable } from '../../../db/read/earnings/claimable.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import type { AppDeps } from '../../deps.ts';
import { chainMeta, type Handler } from '../../handler-types.ts';
import { cursorId, ListPage } from '../../input/cursor.ts';
import { amountOf } from '../../render/amount-of.ts';
import { earnedIn } from '../../render/earnings.ts';
import { earnedPage } from '../../resources/earnings/earned-page.ts';
import { finalizeCall } from '../../resources/transactions/finalize.ts';
import { commerceCall, unsignedTransaction } from '../../resources/transactions/unsigned.ts';

/** `earnings.claimable`: campaigns in which the caller can claim or finalize, with the transactions to sign. */
export const claimable: Handler<'earnings.claimable'> = async (input, deps, { account }) => {
  const list = new ListPage('earnings.claimable', input, { campaignId: cursorId });
  const { after, limit } = list.query;
  const { page, chain } = await readLedger(deps.pool, async (snapshot) => {
    const found = await listClaimable(snapshot, account, { after: after?.campaignId, limit });
    const page = await earnedPage(snapshot, list.of(found), (row, campaign) => ({ row, campaign }));
    return { page, chain: chainMeta(deps.deployment, snapshot.head) };
  });
  // The chain is called after the snapshot, which holds a connection, was released.
  const items = page.items.map((one) => withTransactions(deps, account, one));
  return { data: { items: await Promise.all(items), nextCursor: page.nextCursor }, chain };
};

async function withTransactions(
  deps: AppDeps,
  account: Address,
  { row, campaign }: { readonly row: ClaimableView; readonly campaign: CampaignView },
) {
  const { campaignId, claimable, readyToFinalize, saleIds } = row;
  const earned = earnedIn(campaign);
  const claim = commerceCall(deps.deployment, {
    functionName: 'claimRewards',
    args: [[BigInt(campaignId)]],
    description: `Pays you the ${amountOf(claimable, campaign)} that you can claim in campaign ${campaignId}.`,
  });
  const finalize = finalizeCall(deps.deployment, saleIds, campaignId);
  const [claimTransaction, finalizeTransaction] = await Promise.all([
    claimable > 0n ? unsignedTransaction(deps, account, claim) : null,
    saleIds.length > 0 ? unsignedTransaction(deps, account, finalize) : null,
  ]);
  return {
    ...earned,
    claimable: claimable.toString(),
    readyToFinalize: readyToFinalize.toString(),
    finalizeSaleIds: [...saleIds],
    claim: claimTransaction,
    finalize: finalizeTransaction,
  };
}
