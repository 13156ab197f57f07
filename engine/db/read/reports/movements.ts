import { movementsOf, movingEvents, partyOf } from '../../../core/movements.ts';
import { as, rowCodec, type StoredRow } from '../../row.ts';
import { ledgerRow } from '../../rows/campaign.ts';
import { listOf } from '../../sql.ts';
import type { Snapshot } from '../snapshot.ts';
import {
  type ReportScope,
  type RowSource,
  reportCampaigns,
  tokenColumns,
  within,
} from './scope.ts';

/** An event's arguments, and the ledgers before and after it, from which its movements follow. */
const movingEventRow = rowCodec({
  args: as<Readonly<Record<string, unknown>>>(),
  before: as<StoredRow>(),
  after: as<StoredRow>(),
});

/** A row for each movement of an event between amounts of its campaign's ledgers, as in the vault. */
export function movementRows({ sql, head }: Snapshot, scope: ReportScope): RowSource {
  const events = sql`${reportCampaigns(sql, head, scope)}
    join ledger.journal on journal.campaign_id = as_of.campaign_id
      and journal.seq <= as_of.seq and journal.name in ${listOf(sql, [...movingEvents])}
      and ${within(sql, sql`journal.block_timestamp`, scope)}
    join ledger.journal before
      on before.campaign_id = journal.campaign_id and before.seq = journal.seq - 1`;
  return {
    count: sql`
      select coalesce(sum(case
        when cardinality(changed) <= 1 then cardinality(changed)
        when cardinality(changed) = 2 and changed[1] = -changed[2] then 1
        else (${pairs(sql)}) end), 0) as rows
      from ${events}
      cross join lateral (values
        (array[journal.available - before.available,
          journal.pending_reserved - before.pending_reserved,
          journal.vested_unclaimed - before.vested_unclaimed,
          journal.rewards_claimed - before.rewards_claimed,
          journal.surplus_withdrawn - before.surplus_withdrawn]),
        (array[journal.proceeds_pending - before.proceeds_pending,
          journal.proceeds_claimable - before.proceeds_claimable,
          journal.proceeds_claimed - before.proceeds_claimed,
          journal.buyer_refunded - before.buyer_refunded]),
        (array[journal.credit_outstanding - before.credit_outstanding])
      ) side (changes)
      cross join lateral (select array_remove(changes, 0::numeric) as changed) movement`,
    rows: sql`
      select journal.block_timestamp as "movedAt", journal.campaign_id as "campaignId",
        journal.seq as sequence, journal.name as event, journal.sale_id as "saleId",
        ${tokenColumns(sql)}, journal.args, ${amountsOf(sql, 'before')} as before,
        ${amountsOf(sql, 'journal')} as after, journal.block_number as "blockNumber",
        journal.transaction_hash as "transactionHash"
      from ${events}
      order by journal.campaign_id, journal.seq`,
    expand: (row) => {
      const { args, before, after } = movingEventRow.decode(row);
      return movementsOf(ledgerRow.decode(before), ledgerRow.decode(after)).map(
        ({ from, to, amount }) => {
          return { ...row, from, to, amount, account: partyOf({ from, to }, args) };
        },
      );
    },
  };
}

/**
 * Number of movements that `movementsOf` returns if more than two amounts changed. Lay all decreases end to
 * end, and all increases next to them: there is a movement for each end of either.
 */
function pairs(sql: Snapshot['sql']) {
  return sql`
    select count(distinct reached) from (
      select sum(abs(change)) over (partition by sign(change) order by position) as reached
      from unnest(changed || -(select sum(one) from unnest(changed) one))
        with ordinality as all_changes (change, position)
      where change <> 0
    ) ends`;
}

/** The amounts of a row of the journal, as text: JSON would round them. */
function amountsOf(sql: Snapshot['sql'], table: 'before' | 'journal') {
  const [first, ...others] = ledgerRow.names.map(
    (name) => sql`${name}::text, ${sql(`${table}.${name}`)}::text`,
  );
  return sql`jsonb_build_object(${first ?? sql``} ${others.map((one) => sql`, ${one}`)})`;
}
