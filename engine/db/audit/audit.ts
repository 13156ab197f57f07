import type { Sql } from '../connection.ts';
import { hexText } from '../hex.ts';
import { stateAt } from '../read/as-of/sale.ts';
import { MAX_SEQ } from '../read/corrections.ts';
import { address, id, rowCodec, type StoredRow, type View } from '../row.ts';
import { attesterDayRow, attesterLimitsRow } from '../rows/account.ts';
import { ledgerRow } from '../rows/campaign.ts';
import { commaSeparated } from '../sql.ts';
import { creditMoves, creditSums } from './credits.ts';
import { allMovements, movements, pastIdentities, saleOrder, violationRow } from './entries.ts';
import { accountSums, daySums, partnerSums } from './sums.ts';

/** A value of the ledger that breaks an invariant (docs/how-it-works/settlement.md#two-ledgers-that-add-up). */
export type Violation = View<typeof violationRow>;

/**
 * Checks every invariant within the ledger: both identities of each campaign, balances against the campaign,
 * balances and levels against their entries, each movement and each credit against its event, each row of the
 * newest state against its newest version, and the running totals, those of attesters included, against their rows. One statement each,
 * which returns only violations. Run it in one snapshot.
 */
export async function auditLedger(sql: Sql): Promise<Violation[]> {
  const found = await Promise.all([
    identities(sql),
    bucketSums(sql),
    balances(sql),
    levels(sql),
    movements(sql),
    saleOrder(sql),
    pastIdentities(sql),
    newestStates(sql),
    cursors(sql),
    daySums(sql),
    accountSums(sql),
    partnerSums(sql),
    creditSums(sql),
    creditMoves(sql),
    attesterDays(sql),
  ]);
  return found.flat().map(violationRow.decode);
}

function identities(sql: Sql): Promise<StoredRow[]> {
  return sql<StoredRow[]>`
    with ledger as (
      select c.campaign_id, c.net_deposited,
        c.available + c.pending_reserved + c.vested_unclaimed + c.rewards_claimed
          + c.surplus_withdrawn as rewards,
        c.proceeds_pending + c.proceeds_claimable + c.proceeds_claimed + c.buyer_refunded
          as proceeds,
        case when c.trust_mode = 'NATIVE_ONCHAIN' then (
          select coalesce(sum(amount), 0) from ledger.sale s where s.campaign_id = c.campaign_id
        ) else 0 end as amounts
      from ledger.campaign c
    )
    select campaign_id, 'rewards add up to netDeposited' as invariant, null as subject,
      net_deposited::text as expected, rewards::text as actual
    from ledger where net_deposited <> rewards
    union all
    select campaign_id, 'proceeds add up to the amounts of native sales', null,
      amounts::text, proceeds::text
    from ledger where amounts <> proceeds`;
}

function bucketSums(sql: Sql): Promise<StoredRow[]> {
  return sql<StoredRow[]>`
    with bucket as (
      select campaign_id, sum(at_risk + ready_to_finalize) as reserved,
        sum(claimable) as claimable, sum(claimed) as claimed
      from ledger.bucket group by campaign_id
    )
    select c.campaign_id, v.invariant, null as subject, v.expected::text, v.actual::text
    from ledger.campaign c
    left join bucket b on b.campaign_id = c.campaign_id
    cross join lateral (values
      ('atRisk and readyToFinalize add up to pendingReserved', c.pending_reserved,
        coalesce(b.reserved, 0)),
      ('claimable adds up to vestedUnclaimed', c.vested_unclaimed, coalesce(b.claimable, 0)),
      ('claimed adds up to rewardsClaimed', c.rewards_claimed, coalesce(b.claimed, 0))
    ) v (invariant, expected, actual)
    where v.expected <> v.actual`;
}

function balances(sql: Sql): Promise<StoredRow[]> {
  return sql<StoredRow[]>`
    with entries as (
      select campaign_id, account,
        coalesce(sum(amount) filter (where kind = 'release'), 0) as refunded,
        coalesce(sum(amount) filter (where kind = 'claim'), 0) as claimed,
        coalesce(sum(amount) filter (where kind = 'reverse'), 0) as reversed,
        (array_agg(reserved_after order by seq desc, ordinal desc))[1] as reserved,
        (array_agg(claimable_after order by seq desc, ordinal desc)
          filter (where kind <> 'reserve'))[1] as claimable
      from (${allMovements(sql)}) moved group by campaign_id, account
    ),
    held as (
      select campaign_id, recipient as account, sum(reserved) as reserved,
        coalesce(sum(reserved) filter (where hold_until <= clock), 0) as ready
      from ledger.sale_level join ledger.sale using (campaign_id, sale_id)
      join ledger.cursor using (campaign_id)
      where reserved <> 0 group by campaign_id, recipient
    )
    select campaign_id, v.invariant, ${hexText(sql, sql`account`)} as subject, v.expected::text, v.actual::text
    from ledger.bucket b
    full join entries e using (campaign_id, account)
    full join held h using (campaign_id, account)
    cross join lateral (values
      ('the reserve is what the account''s levels hold', coalesce(h.reserved, 0),
        coalesce(b.at_risk + b.ready_to_finalize, 0)),
      ('readyToFinalize is what is held and due', coalesce(h.ready, 0),
        coalesce(b.ready_to_finalize, 0)),
      ('the reserve is that after the newest movement', coalesce(e.reserved, 0),
        coalesce(b.at_risk + b.ready_to_finalize, 0)),
      ('claimable is that after the newest entry', coalesce(e.claimable, 0),
        coalesce(b.claimable, 0)),
      ('claimed is the sum of its entries', coalesce(e.claimed, 0), coalesce(b.claimed, 0)),
      ('refunded is the sum of its entries', coalesce(e.refunded, 0), coalesce(b.refunded, 0)),
      ('reversed is the sum of its entries', coalesce(e.reversed, 0), coalesce(b.reversed, 0))
    ) v (invariant, expected, actual)
    where v.expected <> v.actual`;
}

function levels(sql: Sql): Promise<StoredRow[]> {
  return sql<StoredRow[]>`
    with entries as (
      select campaign_id, sale_id, level,
        coalesce(sum(amount) filter (where kind = 'release'), 0) as released,
        coalesce(sum(amount) filter (where kind = 'vest'), 0) as vested,
        coalesce(sum(amount) filter (where kind = 'reverse'), 0) as reversed,
        (array_agg(held_after order by seq desc, ordinal desc))[1] as reserved
      from ledger.entry where sale_id is not null group by campaign_id, sale_id, level
    )
    select l.campaign_id, v.invariant, 'sale ' || l.sale_id || ' level ' || l.level as subject,
      v.expected::text, v.actual::text
    from ledger.sale_level l
    left join entries e using (campaign_id, sale_id, level)
    left join ledger.sale s on s.campaign_id = l.campaign_id and s.sale_id = l.sale_id
    left join ledger.journal j on j.campaign_id = s.campaign_id and j.seq = s.seq
    cross join lateral (values
      ('a share is that of its event',
        coalesce((j.args -> 'shares' ->> (l.level - 1))::numeric, 0), l.share),
      ('what a level holds is that after its newest entry', coalesce(e.reserved, l.share),
        l.reserved),
      ('a level of a sale that is not pending holds nothing', 0,
        case when s.state = 'pending' then 0 else l.reserved end),
      ('released is the sum of its entries', coalesce(e.released, 0), l.released),
      ('vested is the sum of its entries', coalesce(e.vested, 0), l.vested),
      ('reversed is the sum of its entries', coalesce(e.reversed, 0), l.reversed)
    ) v (invariant, expected, actual)
    where v.expected <> v.actual`;
}

/** The state of a campaign is that after its newest event, and the state of a sale its newest version or its first state. */
function newestStates(sql: Sql): Promise<StoredRow[]> {
  const columns = Object.keys(ledgerRow.fields).map((field, i) => {
    const column = ledgerRow.names[i] ?? field;
    return sql`(${field}::text, ${sql(`j.${column}`)}, ${sql(`c.${column}`)})`;
  });
  const newest = { campaignId: sql`s.campaign_id`, saleId: sql`s.sale_id`, seq: MAX_SEQ };
  return sql<StoredRow[]>`
    select c.campaign_id, 'the state is that after the newest event' as invariant,
      v.field as subject, v.expected::text, v.actual::text
    from ledger.campaign c
    join ledger.cursor k using (campaign_id)
    join ledger.journal j on j.campaign_id = c.campaign_id and j.seq = k.seq
    cross join lateral (values
      ${commaSeparated(sql, columns)}
    ) v (field, expected, actual)
    where v.expected <> v.actual
    union all
    select s.campaign_id, 'a sale equals its newest version', 'sale ' || s.sale_id,
      concat_ws(' ', v.state, v.refunded_total, v.finalized_at),
      concat_ws(' ', s.state, s.refunded_total, s.finalized_at)
    from ledger.sale s
    cross join lateral (${stateAt(sql, newest)}) v
    where (v.state, v.refunded_total, v.finalized_at)
      is distinct from (s.state, s.refunded_total, s.finalized_at)`;
}

function cursors(sql: Sql): Promise<StoredRow[]> {
  return sql<StoredRow[]>`
    select k.campaign_id, 'the cursor is at the newest event' as invariant, null as subject,
      coalesce(j.seq || ' ' || j.block_number || ' ' || j.log_index || ' ' || j.digest_text, 'none')
        as expected,
      concat_ws(' ', k.seq, k.block_number, k.log_index, k.digest) as actual
    from ledger.cursor k
    left join lateral (
      select *, ${hexText(sql, sql`digest`)} as digest_text from ledger.journal j
      where j.campaign_id = k.campaign_id order by seq desc limit 1
    ) j on true
    where k.seq > 0
      and (j.seq, j.block_number, j.log_index, j.digest_text)
        is distinct from (k.seq, k.block_number, k.log_index, k.digest)
    union all
    select k.campaign_id, 'the campaign runs', null, 'running', k.stopped_reason
    from ledger.cursor k where k.stopped_at is not null`;
}

/** The sum of an attester's day is that of the sales that it attested on it. */
function attesterDays(sql: Sql): Promise<StoredRow[]> {
  return sql<StoredRow[]>`
    with newest as (
      select distinct on (campaign_id, account, day) campaign_id, account, day, attested
      from ledger.attester_day order by campaign_id, account, day, seq desc
    ),
    sold as (
      select c.campaign_id, a.signer as account, (s.block_timestamp / 86400)::integer as day,
        sum(s.amount) as attested
      from ledger.campaign c
      join ledger.sale s on s.campaign_id = c.campaign_id
      join ledger.attestation a on a.campaign_id = s.campaign_id and a.sale_id = s.sale_id
      where c.trust_mode = 'THIRD_PARTY_VERIFIED' and a.signer <> c.merchant
      group by c.campaign_id, a.signer, s.block_timestamp / 86400
    )
    select campaign_id, 'an attester''s day is the sum of its sales' as invariant,
      account || ' day ' || day as subject, coalesce(sold.attested, 0)::text as expected,
      coalesce(newest.attested, 0)::text as actual
    from newest full join sold using (campaign_id, account, day)
    where newest.attested is distinct from sold.attested`;
}

const ledgerAtRow = rowCodec({ campaignId: id, token: address, ledger: ledgerRow.fields });

/** A campaign's ledgers as of a block. */
export type LedgerAt = View<typeof ledgerAtRow>;

/** Reads every campaign's ledgers after its newest event at or below a block. */
export async function ledgersAt(sql: Sql, blockNumber: number): Promise<LedgerAt[]> {
  const rows = await sql<StoredRow[]>`
    select c.token, j.*
    from ledger.campaign c
    join lateral (
      select * from ledger.journal j
      where j.campaign_id = c.campaign_id and j.block_number <= ${blockNumber}
      order by j.block_number desc, j.seq desc limit 1
    ) j on true
    order by c.campaign_id`;
  return rows.map(ledgerAtRow.decode);
}

const attesterAtRow = rowCodec({
  campaignId: id,
  account: address,
  ...attesterLimitsRow.fields,
  ...attesterDayRow.fields,
});

/** An attester's limits and day as of a block. */
export type AttesterAt = View<typeof attesterAtRow>;

/** Reads every attester after its campaign's newest event at or below a block. */
export async function attestersAt(sql: Sql, blockNumber: number): Promise<AttesterAt[]> {
  const rows = await sql<StoredRow[]>`
    select c.campaign_id, p.*, coalesce(d.day, 0) as day, coalesce(d.attested, 0) as attested
    from ledger.campaign c
    join lateral (
      select seq from ledger.journal j
      where j.campaign_id = c.campaign_id and j.block_number <= ${blockNumber}
      order by j.block_number desc, j.seq desc limit 1
    ) j on true
    cross join lateral (
      select distinct on (account) account, per_order, daily, expiry from ledger.permission
      where campaign_id = c.campaign_id and role = 'attester' and seq <= j.seq
      order by account, seq desc
    ) p
    left join lateral (
      select day, attested from ledger.attester_day
      where campaign_id = c.campaign_id and account = p.account and seq <= j.seq
      order by seq desc limit 1
    ) d on true
    order by c.campaign_id, p.account`;
  return rows.map(attesterAtRow.decode);
}

/** Counts the discrepancies in the ledger. */
export async function countDiscrepancies(sql: Sql): Promise<number> {
  const [row] = await sql<{ count: string }[]>`select count(*) as count from ledger.discrepancy`;
  return Number(row?.count ?? 0);
}
