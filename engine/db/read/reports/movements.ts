import { movementsOf, movingEvents, partyOf } from '../../../core/movements.ts';
import { ledgerColumnNames, ledgerOf } from '../../write/standing-columns.ts';
import type { Snapshot } from '../snapshot.ts';
import {
  ownCampaigns,
  type ReportScope,
  type Row,
  type RowSource,
  tokenColumns,
  within,
} from './scope.ts';

/** What movements are told from: an event's arguments, and the ledgers before and after it. */
interface MovingRow {
  readonly args: Readonly<Record<string, unknown>>;
  readonly before: Parameters<typeof ledgerOf>[0];
  readonly after: Parameters<typeof ledgerOf>[0];
}

/** A row for each movement of an event between amounts of its campaign's ledgers, as in the vault. */
export function movementRows({ sql, head }: Snapshot, scope: ReportScope): RowSource {
  const events = sql`${ownCampaigns(sql, head, scope)}
    join ledger.journal on journal.campaign_id = own.campaign_id
      and journal.seq <= own.settled_seq and journal.name in ${sql([...movingEvents])}
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
      cross join lateral (select array_remove(changes, 0::numeric) as changed) told`,
    rows: sql`
      select journal.block_timestamp as "movedAt", journal.campaign_id as "campaignId",
        journal.seq as sequence, journal.name as event, journal.sale_id as "saleId",
        ${tokenColumns(sql)}, journal.args, ${amountsOf(sql, 'before')} as before,
        ${amountsOf(sql, 'journal')} as after, journal.block_number as "blockNumber",
        journal.transaction_hash as "transactionHash"
      from ${events}
      order by journal.campaign_id, journal.seq`,
    expand: (row) => {
      // The rows are those of the query above.
      const { args, before, after } = row as Row & MovingRow;
      return movementsOf(ledgerOf(before), ledgerOf(after)).map(({ from, to, amount }) => {
        return { ...row, from, to, amount, account: partyOf({ from, to }, args) };
      });
    },
  };
}

/**
 * How many movements `movementsOf` tells of changes that are more than one amount going from here to
 * there: what went and what came, each laid end to end, are cut wherever either has an end.
 */
function pairs(sql: Snapshot['sql']) {
  return sql`
    select count(distinct reached) from (
      select sum(abs(change)) over (partition by sign(change) order by place) as reached
      from unnest(changed || -(select sum(one) from unnest(changed) one))
        with ordinality as all_changes (change, place)
      where change <> 0
    ) ends`;
}

/** The amounts of a row of the journal, as text: JSON would round them. */
function amountsOf(sql: Snapshot['sql'], table: 'before' | 'journal') {
  const [first, ...others] = ledgerColumnNames.map(
    (name) => sql`${name}::text, ${sql(`${table}.${name}`)}::text`,
  );
  return sql`jsonb_build_object(${first ?? sql``} ${others.map((one) => sql`, ${one}`)})`;
}
