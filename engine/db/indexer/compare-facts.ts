import { formatEventId } from '../../core/event-id.ts';
import type { Hex } from '../../core/events.ts';
import type { Sql } from '../connection.ts';
import { as, integer, rowCodec, type StoredRow } from '../row.ts';
import { chainIdOf, headQuery, type IndexerHeadRow } from './head.ts';

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

/** Result of comparing the events of two indexers. */
export interface FactComparison {
  /** Number of events that the new indexer has in those blocks. */
  readonly facts: number;
  readonly differences: number;
  /** The oldest differences. */
  readonly first: readonly FactDifference[];
  /** Campaigns that settlement has folded past their first difference. */
  readonly folded: readonly { readonly campaignId: string; readonly fromBlock: number }[];
}

/** A difference, with the parts of its event's id. */
interface FoundDifference extends Omit<FactDifference, 'eventId'> {
  readonly timestamp: number;
  readonly transactionIndex: number;
  readonly logIndex: number;
}

const comparisonRow = rowCodec({
  facts: integer,
  differences: integer,
  first: as<readonly FoundDifference[]>(),
  folded: as<FactComparison['folded']>(),
});

/** Maximum number of differences that are listed. */
const MAX_LISTED_DIFFERENCES = 10;

/** Compares the rows that two indexers made of the same blocks, in one statement. */
export async function compareFacts(
  sql: Sql,
  schemas: { readonly old: string; readonly new: string },
  lastBlock: number,
): Promise<FactComparison> {
  const side = (schema: string) => sql`
    select campaign_id, block_number, block_timestamp, transaction_index, log_index, block_hash,
      transaction_hash, name, args::text as args
    from ${sql(schema)}.chain_event where block_number <= ${lastBlock}`;
  const asJson = (side: 'o' | 'n') => sql`
    case when ${sql(side)}.name is not null then json_build_object('name', ${sql(side)}.name,
      'blockHash', ${sql(side)}.block_hash, 'transactionHash', ${sql(side)}.transaction_hash,
      'logIndex', log_index, 'args', ${sql(side)}.args) end`;
  const compared = (side: 'o' | 'n') =>
    sql(
      [
        'block_hash',
        'block_timestamp',
        'transaction_hash',
        'transaction_index',
        'name',
        'args',
      ].map((column) => `${side}.${column}`),
    );
  const [row] = await sql<(IndexerHeadRow & StoredRow)[]>`
    with head as (${headQuery(sql, schemas.new)}),
    differing as materialized (
      select campaign_id, block_number, log_index,
        coalesce(o.block_timestamp, n.block_timestamp) as block_timestamp,
        coalesce(o.transaction_index, n.transaction_index) as transaction_index,
        ${asJson('o')} as old, ${asJson('n')} as new
      from (${side(schemas.old)}) o
      full join (${side(schemas.new)}) n using (campaign_id, block_number, log_index)
      where (${compared('o')}) is distinct from (${compared('n')})
    ),
    campaign as (
      select d.campaign_id::text as "campaignId", min(d.block_number) as "fromBlock"
      from differing d join ledger.cursor c on c.campaign_id = d.campaign_id
        and (c.block_number, c.log_index) >= (d.block_number, d.log_index)
      group by d.campaign_id order by d.campaign_id
    )
    select head.*, (
        select count(*) from ${sql(schemas.new)}.chain_event where block_number <= ${lastBlock}
      ) as facts,
      (select count(*) from differing) as differences,
      (select coalesce(
        json_agg(t order by t."blockNumber", t."logIndex", t."campaignId"), '[]'
      ) from (
        select campaign_id::text as "campaignId", block_number as "blockNumber",
          block_timestamp as "timestamp", transaction_index as "transactionIndex",
          log_index as "logIndex", old, new
        from differing order by block_number, log_index, campaign_id
        limit ${MAX_LISTED_DIFFERENCES}
      ) t) as first,
      (select coalesce(json_agg(c), '[]') from campaign c) as folded
    from head`;
  if (row === undefined) throw new Error('the comparison of facts answered no row');
  const { first, ...comparison } = comparisonRow.decode(row);
  return { ...comparison, first: first.map((found) => differenceOf(found, chainIdOf(row))) };
}

function differenceOf(found: FoundDifference, chainId: string): FactDifference {
  const { timestamp, transactionIndex, logIndex, ...difference } = found;
  const { blockNumber } = difference;
  const parts = { timestamp, chainId, blockNumber, transactionIndex, logIndex };
  return { ...difference, eventId: formatEventId(parts) };
}
