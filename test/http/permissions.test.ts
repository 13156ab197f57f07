import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Address } from '../../engine/core/events.ts';
import { account } from '../support/history.ts';
import { ApiFixture } from './support/api-fixture.ts';
import { chainOf } from './support/chain-of-facts.ts';
import { HistoryBuilder } from './support/facts.ts';

const [limited, expired, withdrawn, idle] = [901, 902, 903, 904].map(account) as [
  ...[Address, Address, Address, Address],
];
const NO_LIMIT = String((1n << 128n) - 1n);

/** Attested sales before and after midnight (UTC), of attesters with limits, and what the blocks are called. */
function attestedHistory() {
  const history = new HistoryBuilder();
  let sale = 0;
  const attest = (signer: Address, amount: bigint) => {
    sale += 1;
    const saleId = String(sale);
    history.add('1', { name: 'SaleAttested', args: { saleId, signer, nonce: saleId } });
    history.sell('1', saleId, { amount, pool: 0n, shares: [] });
  };
  history.create('1', { trustMode: 'THIRD_PARTY_VERIFIED' });
  history.schedule('1');
  history.fund('1', 1_000_000n);
  history.allowAttester('1', limited, { perOrder: 500n, daily: 800n });
  history.allowAttester('1', expired, { expiry: history.time + 7_000 });
  history.allowAttester('1', withdrawn);
  history.allowAttester('1', idle);
  attest(limited, 300n);
  attest(limited, 400n);
  attest(expired, 9n);
  attest(withdrawn, 7n);
  history.add('1', {
    name: 'SaleRefunded',
    args: {
      ...{ saleId: '2', buyer: account(500), amount: 400n, refundedTotal: 400n },
      reasonHash: `0x${'0'.repeat(64)}`,
    },
  });
  const evening = history.block;
  // The history begins at 22:13:20: this is after midnight.
  history.nextBlock(8_000);
  attest(limited, 450n);
  history.allowAttester('1', withdrawn, { perOrder: 0n, daily: 0n, expiry: 0 });
  return { facts: history.facts, evening };
}

describe('permissions.list', () => {
  let fixture: ApiFixture;
  let evening: string;

  beforeAll(async () => {
    const history = attestedHistory();
    fixture = await ApiFixture.open({ client: chainOf(history.facts).client });
    evening = String(history.evening);
    await fixture.settle(history.facts);
  });
  afterAll(() => fixture.close());

  async function limitsOf(query: { readonly atBlock?: string } = {}) {
    const { data } = await fixture.client().permissions.list({ campaignId: '1', ...query });
    return new Map(data.items.map((one) => [one.account, [one.allowed, one.limits]]));
  }

  it('shows the limits of each attester, what it attested on the day, and if they are in force', async () => {
    const limits = await limitsOf();
    expect(limits.get(limited)).toEqual([
      true,
      {
        ...{ perOrder: '500', daily: '800', expiry: '2096-10-02T07:06:40.000Z' },
        ...{ attestedToday: '450', inForce: true },
      },
    ]);
    expect(limits.get(expired)).toMatchObject([true, { attestedToday: '0', inForce: false }]);
    expect(limits.get(withdrawn)).toEqual([false, null]);
    expect(limits.get(idle)).toMatchObject([
      true,
      { perOrder: NO_LIMIT, daily: NO_LIMIT, attestedToday: '0', inForce: true },
    ]);
  });

  it('counts the day of a past block up to that block, refunded sales too', async () => {
    const limits = await limitsOf({ atBlock: evening });
    expect(limits.get(limited)).toMatchObject([true, { attestedToday: '700', inForce: true }]);
    expect(limits.get(expired)).toMatchObject([true, { attestedToday: '9', inForce: true }]);
    expect(limits.get(withdrawn)).toMatchObject([true, { attestedToday: '7' }]);
  });
});
