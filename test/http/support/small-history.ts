import { saveMerchant } from '../../../engine/db/commerce/save-merchant.ts';
import { saveProduct } from '../../../engine/db/commerce/save-product.ts';
import type { Pool } from '../../../engine/db/connection.ts';
import { account, hash } from '../../support/history.ts';
import { HistoryBuilder } from './facts.ts';

/** Block numbers that the tests read the small history as of. */
export interface Marks {
  readonly sold: number;
  readonly refunded: number;
  readonly finalized: number;
  readonly claimed: number;
  readonly last: number;
  /** Unix seconds of the last block. */
  readonly lastTime: number;
}

/**
 * A small history with one of everything. Campaign 1 has a profile: nodes 1 ← 2 ← 3 ← 4; sale 1 by
 * node 4 is partly refunded, finalized, and its first level claimed; sale 2 is direct; sale 3 by
 * node 1 is refunded in whole. Campaign 2 has no profile and is attested: sale 4 by node 5 is
 * finalized and reversed. Campaign 3 caps a sale at 10,000: sale 5 by nodes 7 ← 6 loses by it.
 */
export function smallHistory(): { history: HistoryBuilder; marks: Marks } {
  const history = new HistoryBuilder();
  beginCampaigns(history);
  history.nextBlock();
  for (const [node, parent] of ['0', '1', '2', '3'].entries()) {
    history.join('1', String(node + 1), parent);
  }
  history.join('2', '5');
  history.join('3', '6');
  history.join('3', '7', '6');
  history.nextBlock();
  sellAll(history);
  const sold = history.block;
  history.nextBlock();
  refundSome(history);
  const refunded = history.block;
  history.nextBlock(700);
  finalizeSome(history);
  const finalized = history.block;
  history.nextBlock();
  history.add('1', { name: 'RewardsClaimed', args: { account: account(14), amount: 30_000n } });
  const claimed = history.block;
  history.nextBlock();
  reverseSale(history);
  const last = history.block;
  return {
    history: history,
    marks: { sold, refunded, finalized, claimed, last, lastTime: history.time },
  };
}

function beginCampaigns(history: HistoryBuilder): void {
  history.create('1');
  history.schedule('1');
  history.fund('1', 10_000_000n);
  history.create('2', {
    merchant: account(1_001),
    trustMode: 'MERCHANT_ATTESTED',
    tokenName: '',
    tokenSymbol: '50%_OFF',
  });
  history.schedule('2', { commissionBps: 2_000, maxRewardedAncestors: 1, weightsBps: [10_000] });
  history.fund('2', 5_000_000n);
  history.create('3', { merchant: account(1_000), inviteOnly: true });
  history.schedule('3', { perSaleCap: 10_000n, holdSeconds: 60, shortPathMode: 'RETURN_UNUSED' });
  history.schedule('3', { commissionBps: 500 }, { version: 2, effectiveAt: history.time + 7_200 });
  history.fund('3', 1_000_000n);
  history.fund('3', 2_000_000n);
}

function sellAll(history: HistoryBuilder): void {
  history.sell('1', '1', { nodeId: '4', pool: 100_000n, shares: [50_000n, 30_000n, 20_000n] });
  history.sell('1', '2', { pool: 0n, shares: [] });
  history.sell('1', '3', { nodeId: '1', pool: 100_000n, shares: [100_000n] });
  history.add('2', {
    name: 'SaleAttested',
    args: { saleId: '4', signer: account(1_001), nonce: '77' },
  });
  history.sell('2', '4', { nodeId: '5', pool: 200_000n, shares: [200_000n] });
  const holdUntil = history.time + 60;
  history.sell('3', '5', { nodeId: '7', pool: 10_000n, shares: [5_000n, 3_000n], holdUntil });
}

function refundSome(history: HistoryBuilder): void {
  const released: [number, string, bigint][] = [
    [1, '4', 20_000n],
    [2, '3', 12_000n],
    [3, '2', 8_000n],
  ];
  for (const [level, nodeId, amount] of released) {
    history.reward('1', 'RewardReleased', { saleId: '1', level, nodeId, amount });
  }
  const refund = { buyer: account(500), reasonHash: hash('reason') };
  history.add('1', {
    name: 'SaleRefunded',
    args: { saleId: '1', amount: 400_000n, refundedTotal: 400_000n, ...refund },
  });
  history.reward('1', 'RewardReleased', { saleId: '3', level: 1, nodeId: '1', amount: 100_000n });
  history.add('1', {
    name: 'SaleRefunded',
    args: { saleId: '3', amount: 1_000_000n, refundedTotal: 1_000_000n, ...refund },
  });
}

function finalizeSome(history: HistoryBuilder): void {
  const vested: [number, string, bigint][] = [
    [1, '4', 30_000n],
    [2, '3', 18_000n],
    [3, '2', 12_000n],
  ];
  for (const [level, nodeId, amount] of vested) {
    history.reward('1', 'RewardVested', { saleId: '1', level, nodeId, amount });
  }
  history.finalize('1', '1');
  history.reward('2', 'RewardVested', { saleId: '4', level: 1, nodeId: '5', amount: 200_000n });
  history.finalize('2', '4');
}

function reverseSale(history: HistoryBuilder): void {
  history.reward('2', 'RewardReversed', { saleId: '4', level: 1, nodeId: '5', amount: 200_000n });
  history.add('2', { name: 'SaleReversed', args: { saleId: '4', reasonHash: hash('reversal') } });
}

/** The profile of campaigns 1 and 3, and the product of campaign 1. */
export async function saveProfiles(pool: Pool): Promise<void> {
  await saveMerchant(pool, {
    id: 'm-acme',
    address: account(1_000),
    slug: 'acme',
    name: 'Acme Coffee',
  });
  await saveProduct(pool, {
    id: 'p-beans',
    merchantId: 'm-acme',
    skuHash: hash('sku 1'),
    title: 'Mountain beans',
    summary: 'A kilo of slow roasted beans.',
    category: 'food',
    fulfillmentMode: 'download',
    deliverable: 'https://secret.example/file',
    price: 1_000_000n,
    media: [
      {
        id: 'cover',
        kind: 'image',
        size: 10,
        sha256: 'a'.repeat(64),
        url: 'https://img.example/1',
      },
      {
        id: 'book',
        kind: 'download',
        size: 20,
        sha256: 'b'.repeat(64),
        url: 'https://dl.example/2',
      },
    ],
    variants: [{ id: 'v1', name: 'Half a kilo', priceBaseUnits: '600000' }],
  });
}
