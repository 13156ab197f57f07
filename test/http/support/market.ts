import type { Pool } from '../../../engine/db/connection.ts';
import { account, hash } from '../../support/history.ts';
import { HistoryBuilder } from './facts.ts';

export const MERCHANT = account(1_000);
export const OTHER_MERCHANT = account(1_001);
/** The tokens of campaigns 1 and 2, and of campaign 3. */
export const TOKEN = account(1);
export const OTHER_TOKEN = account(2);

const DAY = 86_400;

/**
 * A history whose totals can be added up by hand; docs/use/analytics.md returns the same one. It begins on
 * Tuesday, 14 November 2023, 22:13:20 UTC. MERCHANT has campaigns 1 (native), 2 (attested) and 3 (in
 * another token), OTHER_MERCHANT has campaign 9.
 *
 * | when (UTC) | what |
 * | --- | --- |
 * | 14 Nov | nodes 1 ← 2 join campaign 1, node 3 joins campaign 2 |
 * | 15 Nov 00:00:00 | sale 1 by node 2, 1,000,000; sale 2 direct, 1,000,000 (both campaign 1) |
 * | 15 Nov 23:59:59 | sale 3 by node 3, 2,000,000 (campaign 2); node 4 joins under node 2 |
 * | 16 Nov 00:00:00 | sale 4 by node 4, 500,000; sale 6 by node 1, 1,000,000; sale 5, 7,000,000 of campaign 3; sale 7 of campaign 9 |
 * | 16 Nov 01:00:00 | 400,000 of sale 1 are refunded, and all of sale 6 |
 * | 16 Nov 02:00:00 | sales 1 to 5 are finalized |
 * | 16 Nov 02:01:00 | sale 3 is reversed |
 * | 20 Nov 12:00:00 | node 5 joins campaign 1; sale 8 by node 5, 300,000; sale 9 by node 2, 200,000 |
 * | 20 Nov 12:11:40 | sales 8 and 9 are finalized; sale 10 direct, 100,000 |
 *
 * @returns the blocks of the refunds and of the end.
 */
export function marketHistory(): { history: HistoryBuilder; refunded: number; refundedAt: number } {
  const history = new HistoryBuilder();
  begin(history);
  history.nextBlock(6_400);
  sell(history, '1', '1', { nodeId: '2', amount: 1_000_000n, shares: [62_500n, 37_500n] });
  sell(history, '1', '2', { nodeId: '0', amount: 1_000_000n, shares: [] });
  history.nextBlock(DAY - 1);
  attest(history, '3');
  sell(history, '2', '3', { nodeId: '3', amount: 2_000_000n, shares: [200_000n] });
  history.join('1', '4', '2');
  history.nextBlock(1);
  sell(history, '1', '4', { nodeId: '4', amount: 500_000n, shares: [25_000n, 15_000n, 10_000n] });
  sell(history, '3', '5', { nodeId: '0', amount: 7_000_000n, shares: [] });
  sell(history, '1', '6', { nodeId: '1', amount: 1_000_000n, shares: [100_000n] });
  sell(history, '9', '7', { nodeId: '0', amount: 9_000_000n, shares: [] });
  history.nextBlock(3_600);
  refund(history, '1', 400_000n, { '2': 25_000n, '1': 15_000n });
  refund(history, '6', 1_000_000n, { '1': 100_000n });
  const { block: refunded, time: refundedAt } = history;
  history.nextBlock(3_600);
  finalize(history, '1', '1', { '2': 37_500n, '1': 22_500n });
  finalize(history, '1', '2', {});
  finalize(history, '2', '3', { '3': 200_000n });
  finalize(history, '1', '4', { '4': 25_000n, '2': 15_000n, '1': 10_000n });
  finalize(history, '3', '5', {});
  history.nextBlock(60);
  const reversed = { saleId: '3', level: 1, nodeId: '3', amount: 200_000n };
  history.reward('2', 'RewardReversed', reversed);
  history.add('2', { name: 'SaleReversed', args: { saleId: '3', reasonHash: hash('no') } });
  history.nextBlock(4 * DAY + 35_940);
  history.join('1', '5');
  sell(history, '1', '8', { nodeId: '5', amount: 300_000n, shares: [30_000n] });
  sell(history, '1', '9', { nodeId: '2', amount: 200_000n, shares: [12_500n, 7_500n] });
  history.nextBlock(700);
  finalize(history, '1', '8', { '5': 30_000n });
  finalize(history, '1', '9', { '2': 12_500n, '1': 7_500n });
  sell(history, '1', '10', { nodeId: '0', amount: 100_000n, shares: [] });
  return { history, refunded, refundedAt };
}

function begin(history: HistoryBuilder): void {
  const campaigns = [
    { id: '1', changes: {} },
    { id: '2', changes: { trustMode: 'MERCHANT_ATTESTED' as const } },
    { id: '3', changes: { token: OTHER_TOKEN, tokenSymbol: 'OTHER' } },
    { id: '9', changes: { merchant: OTHER_MERCHANT } },
  ];
  for (const { id, changes } of campaigns) {
    history.create(id, changes);
    history.schedule(id);
    history.fund(id, 10_000_000n);
  }
  history.join('1', '1');
  history.join('1', '2', '1');
  history.join('2', '3');
}

function sell(
  history: HistoryBuilder,
  campaignId: string,
  saleId: string,
  sale: { nodeId: string; amount: bigint; shares: bigint[] },
): void {
  const pool = sale.shares.reduce((sum, share) => sum + share, 0n);
  history.sell(campaignId, saleId, { ...sale, pool });
}

function attest(history: HistoryBuilder, saleId: string): void {
  const args = { saleId, signer: MERCHANT, nonce: saleId };
  history.add('2', { name: 'SaleAttested', args });
}

/** @param released what each node gives back, level 1 first. */
function refund(
  history: HistoryBuilder,
  saleId: string,
  amount: bigint,
  released: Readonly<Record<string, bigint>>,
): void {
  levels(history, '1', 'RewardReleased', saleId, released);
  history.add('1', {
    name: 'SaleRefunded',
    args: {
      saleId,
      buyer: account(500),
      amount,
      refundedTotal: amount,
      reasonHash: hash('reason'),
    },
  });
}

function finalize(
  history: HistoryBuilder,
  campaignId: string,
  saleId: string,
  vested: Readonly<Record<string, bigint>>,
): void {
  levels(history, campaignId, 'RewardVested', saleId, vested);
  history.finalize(campaignId, saleId);
}

/** Level 1 is the node with the highest number: every parent joined before its children. */
function levels(
  history: HistoryBuilder,
  campaignId: string,
  name: 'RewardReleased' | 'RewardVested',
  saleId: string,
  amounts: Readonly<Record<string, bigint>>,
): void {
  const path = Object.entries(amounts).sort(([a], [b]) => Number(b) - Number(a));
  for (const [i, [nodeId, amount]] of path.entries()) {
    history.reward(campaignId, name, { saleId, level: i + 1, nodeId, amount });
  }
}

/** Opens and checkouts, which no chain returns: within 15 and 16 November, 6 visitors and 2 checkouts. */
export async function recordVisits(pool: Pool): Promise<void> {
  await pool`
    insert into commerce.referral_day (campaign_id, node_id, day, opens, visitors) values
      (1, 1, '2023-11-14', 9, 5), (1, 1, '2023-11-15', 3, 2), (2, 3, '2023-11-16', 4, 4),
      (1, 1, '2023-11-17', 8, 8), (9, 99, '2023-11-15', 50, 50)`;
  const checkouts: [string, string][] = [
    ['1', '2023-11-14T23:59:59.999Z'],
    ['1', '2023-11-15T00:00:00.000Z'],
    ['2', '2023-11-16T23:59:59.999Z'],
    ['1', '2023-11-17T00:00:00.000Z'],
    ['9', '2023-11-15T12:00:00.000Z'],
  ];
  for (const [i, [campaignId, at]] of checkouts.entries()) {
    await pool`
      insert into commerce.checkout_intent (id, buyer, order_key, request_hash, campaign_id,
        terms_hash, sku_hash, token, amount, min_policy_version, created_at, updated_at, expires_at)
      values (${`i${i}`}, ${account(500)}, ${hash(`order ${i}`)}, ${Buffer.alloc(32)},
        ${campaignId}, ${hash(`terms ${campaignId}`)}, ${hash('sku')}, '{}', 1, 1, ${at}, ${at}, ${at})`;
  }
}
