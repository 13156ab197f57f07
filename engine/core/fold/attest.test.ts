import { describe, expect, it } from 'vitest';
import { HistoryBuilder } from '../../../test/http/support/facts.ts';
import { account } from '../../../test/support/history.ts';
import { applyAll, type Discrepancy, emptyCampaign } from './index.ts';

const DAY = 86_400;
const ATTESTER = account(900);
const MERCHANT = account(1_000);

/** A campaign whose sales an attester attests, at the last second of a day (UTC). */
class AttestedCampaign {
  readonly history = new HistoryBuilder();
  #sales = 0;

  constructor(trustMode: 'THIRD_PARTY_VERIFIED' | 'MERCHANT_ATTESTED' = 'THIRD_PARTY_VERIFIED') {
    this.history.create('1', { trustMode });
    this.history.schedule('1');
    this.history.fund('1', 1_000_000n);
    this.history.nextBlock(DAY - 1 - (this.history.time % DAY));
  }

  sell(amount: bigint, signer: `0x${string}` | null = ATTESTER): this {
    this.#sales += 1;
    const saleId = String(this.#sales);
    const args = { saleId, signer: signer ?? ATTESTER, nonce: saleId };
    if (signer !== null) this.history.add('1', { name: 'SaleAttested', args });
    this.history.sell('1', saleId, { amount, pool: 0n, shares: [] });
    return this;
  }

  get state() {
    return applyAll(emptyCampaign('1'), this.history.facts).state;
  }

  get discrepancies(): string[] {
    const { applied } = applyAll(emptyCampaign('1'), this.history.facts);
    return applied.flatMap(({ discrepancies }) => discrepancies).map(sentence);
  }
}

function sentence({ kind, saleId, expected, actual }: Discrepancy): string {
  return `${kind} of sale ${saleId}: ${expected}, not ${actual}`;
}

describe('the fold of attested sales', () => {
  it('accepts sales up to both limits, and counts each day (UTC) of its own', () => {
    const campaign = new AttestedCampaign();
    const { history } = campaign;
    history.allowAttester('1', ATTESTER, { perOrder: 60n, daily: 100n });
    campaign.sell(60n).sell(40n);
    history.nextBlock(1);
    campaign.sell(60n).sell(40n);
    expect(campaign.discrepancies).toEqual([]);
    campaign.sell(1n);
    expect(campaign.discrepancies).toEqual(['ATTESTATION of sale 5: at most 100 a day, not 101']);
  });

  it('reports a sale above the limit of one order, and one at the second of the expiry', () => {
    const campaign = new AttestedCampaign();
    const { history } = campaign;
    const expiry = history.time + 1;
    history.allowAttester('1', ATTESTER, { perOrder: 60n, daily: 100n, expiry });
    campaign.sell(61n);
    history.nextBlock(1);
    campaign.sell(1n);
    expect(campaign.discrepancies).toEqual([
      'ATTESTATION of sale 1: at most 60 an order, not 61',
      `ATTESTATION of sale 2: before ${expiry}, not ${expiry}`,
    ]);
  });

  it('counts what was attested under earlier limits, also after the permission was withdrawn', () => {
    const campaign = new AttestedCampaign();
    const { history } = campaign;
    history.allowAttester('1', ATTESTER, { perOrder: 100n, daily: 100n });
    campaign.sell(70n);
    history.allowAttester('1', ATTESTER, { perOrder: 0n, daily: 0n, expiry: 0 });
    history.allowAttester('1', ATTESTER, { perOrder: 100n, daily: 80n });
    campaign.sell(10n);
    expect(campaign.discrepancies).toEqual([]);
    campaign.sell(1n);
    expect(campaign.discrepancies).toEqual(['ATTESTATION of sale 3: at most 80 a day, not 81']);
    expect(campaign.state.attesters.get(ATTESTER)?.attested).toBe(81n);
  });

  it('reports a sale that is not attested, or by an account that may not attest', () => {
    const campaign = new AttestedCampaign();
    campaign.history.allowAttester('1', MERCHANT);
    campaign.sell(1n, null).sell(1n, MERCHANT).sell(1n, account(901));
    expect(campaign.discrepancies).toEqual([
      'ATTESTATION of sale 1: an attester, not none',
      `ATTESTATION of sale 2: an attester, not ${MERCHANT}`,
      expect.stringMatching(/^ATTESTATION of sale 3: before 0, not /),
      'ATTESTATION of sale 3: at most 0 an order, not 1',
      'ATTESTATION of sale 3: at most 0 a day, not 1',
    ]);
    const merchants = new AttestedCampaign('MERCHANT_ATTESTED');
    merchants.sell(1n, MERCHANT).sell(1n, ATTESTER).sell(1n, null);
    expect(merchants.discrepancies).toEqual([
      `ATTESTATION of sale 2: ${MERCHANT}, not ${ATTESTER}`,
      `ATTESTATION of sale 3: ${MERCHANT}, not none`,
    ]);
  });
});

describe('the fold of sales under a policy that excludes self-referral', () => {
  it.each([
    ['on level 1', '3', 'node 3', true],
    ['on the last rewarded level', '4', 'node 3', true],
    ['beyond the rewarded levels', '5', null, true],
    ['under another policy', '3', null, false],
  ] as const)('reports a buyer who owns a node %s', (_, nodeId, found, excludesSelfReferral) => {
    const history = new HistoryBuilder();
    history.create('1');
    const weightsBps = [6_000, 4_000];
    history.schedule('1', { excludesSelfReferral, maxRewardedAncestors: 2, weightsBps });
    history.fund('1', 1_000_000n);
    history.join('1', '3');
    history.join('1', '4', '3');
    history.join('1', '5', '4');
    history.join('1', '6', '5');
    const shares = nodeId === '3' ? [100_000n] : [60_000n, 40_000n];
    const sold = nodeId === '5' ? '6' : nodeId;
    history.sell('1', '1', { nodeId: sold, buyer: account(13), pool: 100_000n, shares });
    const { applied } = applyAll(emptyCampaign('1'), history.facts);
    const reported = applied.flatMap(({ discrepancies }) => discrepancies).map(sentence);
    expect(reported).toEqual(
      found === null ? [] : [`SELF_REFERRAL of sale 1: no node of the buyer, not ${found}`],
    );
  });
});
