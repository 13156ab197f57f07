import type { Hex } from '../../core/events.ts';
import type { Sql } from '../connection.ts';
import { as, integer, rowCodec, type StoredRow, type View } from '../row.ts';

/** An event as an indexer has it. */
export interface IndexedFact {
  readonly name: string;
  readonly blockHash: Hex;
  readonly transactionHash: Hex;
  readonly logIndex: number;
  /** JSON, as `src/encode.ts` wrote it. */
  readonly args: string;
}

/** An event that two indexers do not have alike; `null` where one does not have it. */
export interface FactDifference {
  readonly campaignId: string;
  readonly eventId: string;
  readonly blockNumber: number;
  readonly old: IndexedFact | null;
  readonly new: IndexedFact | null;
}

const factComparison = rowCodec({
  /** Events that the new indexer has in those blocks. */
  facts: integer,
  differences: integer,
  /** The oldest of them. */
  first: as<readonly FactDifference[]>(),
  /** Campaigns that settlement has folded past their first difference. */
  folded: as<readonly { readonly campaignId: string; readonly fromBlock: number }[]>(),
});

export type FactComparison = View<typeof factComparison>;

/** Maximum number of differences that are listed. */
const MAX_LISTED_DIFFERENCES = 10;

/** Compares the rows that two indexers made of the same blocks, in one statement. */
export async function compareFacts(
  sql: Sql,
  schemas: { readonly old: string; readonly new: string },
  lastBlock: number,
): Promise<FactComparison> {
  const side = (schema: string) => sql`
    select campaign_id, id, block_number, block_hash, transaction_hash, log_index, name,
      args::text as args
    from ${sql(schema)}.chain_event where block_number <= ${lastBlock}`;
  const asJson = (side: 'o' | 'n') => sql`
    case when ${sql(side)}.id is not null then json_build_object('name', ${sql(side)}.name,
      'blockHash', ${sql(side)}.block_hash, 'transactionHash', ${sql(side)}.transaction_hash,
      'logIndex', ${sql(side)}.log_index, 'args', ${sql(side)}.args) end`;
  const [row] = await sql<StoredRow[]>`
    with differing as materialized (
      select campaign_id, id, coalesce(o.block_number, n.block_number) as block_number,
        ${asJson('o')} as old, ${asJson('n')} as new
      from (${side(schemas.old)}) o full join (${side(schemas.new)}) n using (campaign_id, id)
      where (o.block_hash, o.transaction_hash, o.log_index, o.name, o.args)
        is distinct from (n.block_hash, n.transaction_hash, n.log_index, n.name, n.args)
    ),
    campaign as (
      select d.campaign_id::text as "campaignId", min(d.block_number) as "fromBlock"
      from differing d join ledger.cursor c on c.campaign_id = d.campaign_id and c.event_id >= d.id
      group by d.campaign_id order by d.campaign_id
    )
    select (
        select count(*) from ${sql(schemas.new)}.chain_event where block_number <= ${lastBlock}
      ) as facts,
      (select count(*) from differing) as differences,
      (select coalesce(json_agg(t order by t."eventId", t."campaignId"), '[]') from (
        select campaign_id::text as "campaignId", id as "eventId", block_number as "blockNumber",
          old, new
        from differing order by id, campaign_id limit ${MAX_LISTED_DIFFERENCES}
      ) t) as first,
      (select coalesce(json_agg(c), '[]') from campaign c) as folded`;
  if (row === undefined) throw new Error('the comparison of facts answered no row');
  return factComparison.decode(row);
}
