import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { referralCommerceAbi } from '../../abis/referralCommerce.ts';
import type { EventName, Fact } from '../../engine/core/events.ts';
import type { Sale } from '../../engine/core/fold/index.ts';
import { sampleProfiles } from '../../sample/profiles.ts';
import { type FoldedCampaign, type SampleFixture, START, startSampleFixture } from './fixture.ts';

const DAY = 86_400;

describe('the sample history on a chain', () => {
  let fixture: SampleFixture;
  beforeAll(async () => {
    fixture = await startSampleFixture();
  });
  afterAll(() => fixture?.anvil.stop());

  const campaigns = () => [...fixture.folded.values()];
  const of = (key: string): FoldedCampaign => {
    const id = fixture.result.campaigns.find((campaign) => campaign.key === key)?.id;
    const folded = fixture.folded.get(String(id));
    if (folded === undefined) throw new Error(`There is no campaign ${key}.`);
    return folded;
  };
  const events = <N extends EventName>(name: N) =>
    fixture.facts.filter((fact): fact is Fact<N> => fact.name === name);
  const sales = () => campaigns().flatMap(({ state }) => [...state.sales.values()]);
  const inState = (state: Sale['state']) => sales().filter((sale) => sale.state === state);

  it('contains at least 200 nodes, 12 deep, and 500 sales in six campaigns of three merchants', () => {
    const merchants = new Set(campaigns().map(({ state }) => state.campaign?.merchant));
    const nodes = campaigns().flatMap(({ state }) => [...state.nodes.values()]);
    expect(merchants.size).toBeGreaterThanOrEqual(3);
    expect(campaigns().length).toBeGreaterThanOrEqual(6);
    expect(nodes.length).toBeGreaterThanOrEqual(200);
    expect(Math.max(...nodes.map(({ depth }) => depth))).toBe(12);
    expect(sales().length).toBeGreaterThanOrEqual(500);
    expect(new Set(nodes.map(({ owner }) => owner)).size).toBeGreaterThanOrEqual(50);
    expect(new Set(sales().map(({ buyer }) => buyer)).size).toBeGreaterThanOrEqual(50);
  });

  it('contains sales without a link and sales at every depth', () => {
    const depths = campaigns().flatMap(({ state }) =>
      [...state.sales.values()].map(({ nodeId }) =>
        nodeId === null ? 0 : (state.nodes.get(nodeId)?.depth ?? -1),
      ),
    );
    const found = [...new Set(depths)].sort((a, b) => a - b);
    expect(found).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
  });

  it('spans thirty days in dozens of blocks', () => {
    const first = fixture.facts[0]?.timestamp ?? 0;
    expect(first).toBeLessThan(START + DAY);
    expect(fixture.headTimestamp).toBe(START + 30 * DAY);
    expect(new Set(fixture.facts.map(({ blockNumber }) => blockNumber)).size).toBeGreaterThan(100);
    expect(fixture.result.counts.blocks).toBeLessThan(200);
  });

  it('contains policies with 1 to 5 levels, in both short-path modes', () => {
    const policies = campaigns().flatMap(({ state }) => state.policies);
    const depths = new Set(policies.map(({ maxRewardedAncestors }) => maxRewardedAncestors));
    expect([...depths].sort()).toEqual([1, 2, 3, 4, 5]);
    expect(new Set(policies.map(({ shortPathMode }) => shortPathMode)).size).toBe(2);
  });

  it('contains sales on which each of the three caps reduces a reward', () => {
    const reasons = campaigns().flatMap(({ applied }) =>
      applied.flatMap(({ missed }) => missed.map(({ reason }) => reason)),
    );
    expect([...new Set(reasons)].sort()).toEqual(['BUDGET', 'LIABILITY_CAP', 'SALE_CAP']);
  });

  it('contains sales before and after a scheduled policy took effect', () => {
    const { state } = of('single-origin-subscription');
    const effectiveAt = state.policies[1]?.effectiveAt ?? 0;
    const recorded = events('SaleRecorded').filter(
      ({ campaignId }) => campaignId === state.campaignId,
    );
    const versions = recorded.map(({ args, timestamp }) => {
      expect(args.policyVersion).toBe(timestamp < effectiveAt ? 1 : 2);
      return args.policyVersion;
    });
    expect(versions.filter((version) => version === 1).length).toBeGreaterThan(20);
    expect(versions.filter((version) => version === 2).length).toBeGreaterThan(20);
  });

  it('contains campaigns in every state, and sales of every trust mode', async () => {
    const states = await Promise.all(
      fixture.result.campaigns.map(({ id }) =>
        fixture.client.readContract({ ...contract(), functionName: 'campaignState', args: [id] }),
      ),
    );
    expect([...new Set(states)].sort()).toEqual([0, 1, 2, 3, 4]);
    const trusted = campaigns().filter(({ state }) => state.sales.size > 0);
    const modes = new Set(trusted.map(({ state }) => state.campaign?.trustMode));
    expect(modes.size).toBe(3);
    expect(campaigns().some(({ state }) => state.campaign?.inviteOnly)).toBe(true);
  });

  it('emits every event of the protocol', () => {
    const { events: counts } = fixture.result.counts;
    for (const name of new Set(fixture.facts.map((fact) => fact.name))) {
      expect(counts[name], name).toBe(events(name).length);
    }
    // All 22 events of docs/reference/protocol.md.
    expect(Object.keys(counts)).toHaveLength(22);
  });

  it('sells variants at their own price, and more than the capacity before it was raised', () => {
    const variant = events('VariantPriced')[0]?.args;
    const sold = sales().filter(({ skuHash }) => skuHash === variant?.skuHash);
    expect(sold.length).toBeGreaterThan(5);
    for (const sale of sold) expect(sale.amount).toBe(variant?.price);
    const { state } = of('barista-starter-kit');
    const before = events('CampaignCreated').find(
      ({ campaignId }) => campaignId === state.campaignId,
    );
    expect(state.sales.size).toBeGreaterThan(before?.args.saleCapacity ?? Infinity);
    expect(state.nodes.size).toBeGreaterThan(before?.args.nodeCapacity ?? Infinity);
  });

  it('contains an attester with limits, and self-referrals, except in the campaign that excludes them', () => {
    expect(events('AttesterAllowed').map(({ args }) => [args.perOrder, args.daily])).toEqual([
      [100_000_000n, 1_000_000_000n],
    ]);
    const ownOf = ({ state }: FoldedCampaign) =>
      [...state.sales.values()].filter(
        ({ nodeId, buyer }) => nodeId !== null && state.nodes.get(nodeId)?.owner === buyer,
      );
    const excluding = of('barista-starter-kit');
    expect(excluding.state.policies.map((policy) => policy.excludesSelfReferral)).toEqual([
      ...[true, true],
    ]);
    expect(excluding.state.sales.size).toBeGreaterThan(50);
    expect(ownOf(excluding)).toEqual([]);
    expect(campaigns().flatMap(ownOf).length).toBeGreaterThan(3);
  });

  it('contains sales in every state', () => {
    const pending = inState('pending');
    const held = pending.filter(({ holdUntil }) => holdUntil > fixture.headTimestamp);
    expect(held.length).toBeGreaterThan(5);
    expect(pending.length - held.length).toBeGreaterThan(5);
    expect(pending.some(({ refundedTotal }) => refundedTotal > 0n)).toBe(true);
    expect(inState('refunded').length).toBeGreaterThan(5);
    expect(inState('finalized').some(({ refundedTotal }) => refundedTotal > 0n)).toBe(true);
    expect(inState('reversed').length).toBeGreaterThanOrEqual(2);
    const levels = campaigns().flatMap(({ state }) =>
      [...state.sales.values()].flatMap((sale) =>
        sale.levels
          .filter(({ vested, reversed }) => vested > reversed)
          .map(({ recipient, vestedSeq }) => {
            const lastClaim = state.accounts.get(recipient)?.lastClaimSeq ?? 0;
            return lastClaim > (vestedSeq ?? Infinity);
          }),
      ),
    );
    expect(levels.filter((claimed) => claimed).length).toBeGreaterThan(50);
    expect(levels.filter((claimed) => !claimed).length).toBeGreaterThan(50);
  });

  it('contains a reversal that spares the claimed level and reverses the others', () => {
    const { state } = of('guided-ridge-weekend');
    const reversed = [...state.sales.values()].filter((sale) => sale.state === 'reversed');
    const spared = reversed.map(({ levels }) => levels.map((level) => level.reversed === 0n));
    expect(spared).toContainEqual([true, false, false]);
    expect(spared).toContainEqual([false, false, false]);
  });

  it('withdraws the surplus of the campaign that ended', () => {
    const [withdrawn] = events('SurplusWithdrawn');
    expect(withdrawn?.campaignId).toBe(of('type-design-course').state.campaignId);
    expect(withdrawn?.args.amount).toBeGreaterThan(0n);
  });

  it('folds without a discrepancy into the ledgers of the contract', async () => {
    for (const { state, applied } of campaigns()) {
      expect(applied.flatMap(({ discrepancies }) => discrepancies)).toEqual([]);
      const args = [BigInt(state.campaignId)] as const;
      const ledger = await fixture.client.readContract({
        ...contract(),
        functionName: 'campaignLedger',
        args,
      });
      expect(state.snapshot.ledger).toEqual(ledger);
    }
  });

  it('links products to campaigns by merchant and SKU, and has merchants with two and with none', () => {
    const { merchants, products } = sampleProfiles();
    const linked = campaigns().map(({ state }) => {
      const merchant = merchants.find(({ address }) => address === state.campaign?.merchant);
      const product = products.find(
        ({ merchantId, skuHash }) =>
          merchantId === merchant?.id && skuHash === state.campaign?.skuHash,
      );
      return { merchant, product, price: state.snapshot.price };
    });
    expect(linked.filter(({ product }) => product !== undefined)).toHaveLength(products.length);
    for (const { product, price } of linked) if (product) expect(product.price).toBe(price);
    expect(linked.filter(({ merchant }) => merchant?.slug === 'harbor-roasters')).toHaveLength(2);
    expect(linked.some(({ merchant }) => merchant === undefined)).toBe(true);
    expect(linked.some(({ merchant, product }) => merchant && !product)).toBe(true);
  });

  const contract = () => ({ address: fixture.result.contractAddress, abi: referralCommerceAbi });
});
