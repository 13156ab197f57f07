import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Address } from '../../engine/core/events.ts';
import { auditLedger } from '../../engine/db/audit/audit.ts';
import {
  getPartner,
  listPartners,
  type PartnerCursor,
  type PartnerFilters,
  reportPartners,
} from '../../engine/db/read/partners/list.ts';
import type { PartnerScope } from '../../engine/db/read/partners/rows.ts';
import { readLedger, type Snapshot } from '../../engine/db/read/snapshot.ts';
import { rollBack } from '../../engine/db/write/rollback.ts';
import { fillPartners } from '../support/fill-sums.ts';
import { account, randomHistory, seeded } from '../support/history.ts';
import { ApiFixture } from './support/api-fixture.ts';
import { decodeCursor, lastLinks, partnersBySale } from './support/partners-by-sale.ts';
import { saveDistributor } from './support/save-distributor.ts';

const SECRET = 'of this test';
const MERCHANT = account(1_000);
const SORTS = ['sales', 'value', 'rewards', 'firstLink', 'lastLink'] as const;

interface Block {
  readonly number: number;
  readonly hash: `0x${string}`;
  readonly timestamp: number;
}

/** Campaigns 1 to 3 of one merchant, the second in a token of its own; and campaign 4 of another. */
describe.each([5, 2_718])('the sums that partners are read from, seed %i', (seed) => {
  let fixture: ApiFixture;
  let blocks: readonly Block[];
  let owners: readonly Address[];

  beforeAll(async () => {
    fixture = await ApiFixture.open();
    const { pool } = fixture;
    await fixture.settle(randomHistory({ seed, steps: 500, campaigns: 4 }));
    await pool`update ledger.campaign set merchant = ${MERCHANT} where campaign_id <= 3`;
    await pool`update ledger.campaign set token = ${account(2)} where campaign_id = 2`;
    await fillPartners(pool);
    const rows = await pool<{ owner: Address }[]>`
      select owner from ledger.node where campaign_id <= 3 group by owner order by count(*), owner`;
    owners = rows.map(({ owner }) => owner);
    for (const [i, address] of owners.entries()) {
      const visibility = i % 3 === 0 ? 'pseudonymous' : 'public';
      const profile = { handle: `name-${i}`, displayName: `Name ${i}`, visibility } as const;
      if (i % 2 === 0) await saveDistributor(pool, { ...profile, address });
    }
    const places = await pool<{ n: string; h: `0x${string}`; t: string }[]>`
      select block_number as n, min(block_hash) as h, min(block_timestamp) as t
      from ledger.journal group by block_number order by block_number`;
    blocks = places.map(({ n, h, t }) => ({ number: Number(n), hash: h, timestamp: Number(t) }));
  });
  afterAll(() => fixture.close());

  /** One of few accounts, one of many, none, and those by what they did. */
  function filtersOf(): PartnerFilters[] {
    const first = owners[0] ?? '';
    return [
      {},
      { active: true },
      { active: false },
      { q: 'name' },
      { q: 'name-2', active: true },
      { q: first },
      { q: first.slice(0, -1) },
      { q: 'nobody' },
    ];
  }

  /** Settlement may be ahead by all that there is, and the clock of its rows before or after. */
  async function atBlocks(
    random: () => number,
    times: number,
    read: (snapshot: Snapshot, context: string) => Promise<void>,
  ): Promise<void> {
    for (let i = 0; i < times; i += 1) {
      // The newest block, an early one at which not all campaigns exist, and others.
      const early = [1, 0.03][i];
      const place = Math.floor((early ?? random() ** 0.4) * (blocks.length - 1));
      const at = blocks[place];
      if (at === undefined) throw new Error('there are no blocks');
      const later = i % 3 === 0 ? 300 : 0;
      await readLedger(
        fixture.pool,
        async (snapshot) => {
          const head = { ...snapshot.head, timestamp: snapshot.head.timestamp + later };
          await read({ ...snapshot, head }, `seed ${seed}: block ${at.number}`);
        },
        at,
      );
    }
  }

  const scopes: readonly PartnerScope[] = [
    { merchant: MERCHANT, token: account(1) },
    { merchant: MERCHANT, token: account(2) },
    { merchant: MERCHANT, token: account(1), campaignId: '1' },
    { merchant: MERCHANT, token: account(2), campaignId: '2' },
  ];

  it('lists partners at every settled block, and by every filter, as the sales themselves say', async () => {
    let compared = 0;
    await atBlocks(seeded(seed), 3, async (snapshot, context) => {
      for (const scope of scopes) {
        for (const filters of filtersOf()) {
          const about = `${context}, ${JSON.stringify({ ...scope, ...filters })}`;
          const bySale = await partnersBySale(snapshot, scope, filters);
          const query = { ...filters, sort: 'sales', secret: SECRET } as const;
          const found = await reportPartners(snapshot, scope, {
            ...query,
            after: undefined,
            limit: 1_000,
          });
          expect(found.partners, about).toBe(bySale.partners.length);
          expect(found.days, about).toEqual(bySale.days);
          const partners = bySale.partners.map(({ lastSaleAt: _, ...one }) => one);
          expect(byAccount(found.items), about).toEqual(byAccount(partners));
          compared += found.days.filter(({ rewards }) => rewards > 0n).length;
          const { campaignId } = scope;
          if (campaignId === undefined) continue;
          const page = { ...query, after: undefined, limit: 1_000 };
          const { items } = await listPartners(snapshot, { ...scope, campaignId }, page);
          expect(byAccount(items), about).toEqual(byAccount(bySale.partners));
        }
      }
    });
    expect(compared).toBeGreaterThan(20);
  });

  it('sorts partners as the sales themselves do, over pages, and returns one account as the list does', async () => {
    await atBlocks(seeded(seed + 1), 3, async (snapshot, context) => {
      for (const scope of scopes) {
        const { partners } = await partnersBySale(snapshot, scope, {});
        const newest = await lastLinks(snapshot, scope);
        for (const sort of SORTS) {
          const expected = partners
            .map((one) => ({ ...one, lastLinkAt: newest.get(one.account) ?? 0 }))
            .map((one) => ({ account: one.account, ...decodeCursor(one, sort, SECRET) }))
            .sort((a, b) => Number(b.key - a.key) || (a.tie < b.tie ? -1 : 1))
            .map((one) => one.account);
          const found: Address[] = [];
          let after: PartnerCursor | undefined;
          do {
            const query = { sort, secret: SECRET, after, limit: 3 };
            const page = await reportPartners(snapshot, scope, query);
            expect(page.partners).toBe(partners.length);
            found.push(...page.items.map((one) => one.account));
            after = page.next ?? undefined;
          } while (after !== undefined);
          expect(found, `${context}, ${sort}`).toEqual(expected);
        }
        for (const { lastSaleAt: _, ...one } of partners.slice(0, 5)) {
          const scoped = { ...scope, account: one.account };
          expect(await getPartner(snapshot, scoped), `${context}, ${one.account}`).toEqual(one);
        }
        const outsider = await getPartner(snapshot, { ...scope, account: account(9) });
        expect(outsider).toBeUndefined();
      }
    });
  });

  it('computes sums that agree with their rows after every rollback, and audits those that do not', async () => {
    const [one] = await fixture.pool<{ seq: string }[]>`
      select seq from ledger.cursor where campaign_id = 1`;
    expect(await violations()).toEqual([]);
    for (const column of ['links', 'first_link_at', 'network', 'settled_value'] as const) {
      const name = fixture.pool(column);
      await fixture.pool`update ledger.account_sum set ${name} = ${name} + 1 where campaign_id = 2`;
      const [first] = await violations();
      expect(first, column).toMatchObject({
        campaignId: '2',
        invariant: 'sums of sales and joins by account are those of the rows',
        subject: expect.stringMatching(/^account 0x/),
      });
      await fixture.pool`update ledger.account_sum set ${name} = ${name} - 1 where campaign_id = 2`;
    }
    for (const column of ['links', 'settled', 'first_link_at'] as const) {
      const name = fixture.pool(column);
      const [row] = await fixture.pool<{ account: string }[]>`
        update ledger.merchant_partner set ${name} = ${name} + 1
        where ctid = (select min(ctid) from ledger.merchant_partner where merchant = ${MERCHANT})
        returning account`;
      expect(await violations(), column).toMatchObject([
        {
          campaignId: '1',
          invariant: 'totals of partners are the sums of those of their campaigns',
          subject: `merchant ${MERCHANT}, account ${row?.account}`,
        },
      ]);
      await fixture.pool`
        update ledger.merchant_partner set ${name} = ${name} - 1
        where merchant = ${MERCHANT} and account = ${row?.account ?? ''}`;
    }
    for (const share of [0.9, 0.6, 0.3, 0]) {
      const seq = Math.floor(Number(one?.seq) * share);
      await fixture.pool.begin((sql) => rollBack(sql, '1', seq));
      expect(await violations(), `rolled back to ${seq}`).toEqual([]);
    }
    const left = await fixture.pool`select 1 from ledger.account_sum where campaign_id = 1`;
    expect([...left]).toEqual([]);
    const partners = await fixture.pool`
      select 1 from ledger.merchant_partner where links = 0 or first_link_at is null`;
    expect([...partners]).toEqual([]);
  });

  /** What the audit says of the sums; a rollback leaves the cursor to its caller. */
  async function violations() {
    const found = await fixture.pool.begin((sql) => auditLedger(sql));
    return found.filter(({ invariant }) => invariant.includes('sums'));
  }
});

function byAccount<T extends { readonly account: Address }>(items: readonly T[]): T[] {
  return [...items].sort((a, b) => (a.account < b.account ? -1 : 1));
}
