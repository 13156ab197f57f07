import { isAddress } from 'viem';
import { referralCommerceAbi } from '../../abis/referralCommerce.ts';
import { type Fact, type Hex, isEventName, readEvent } from '../../engine/core/events.ts';
import type { Sql } from '../../engine/db/connection.ts';
import type { TestChain } from './chain.ts';

/** A row of `chain_event`, with what PostgreSQL sends as text left as text. */
export type FactRow = {
  campaign_id: string;
  block_number: string;
  block_hash: string;
  block_timestamp: string;
  transaction_hash: string;
  transaction_index: number;
  log_index: number;
  name: string;
  args: unknown;
};

/** All rows that the indexer has written, in the order of the chain. */
export async function indexedFacts(sql: Sql, schema: string): Promise<FactRow[]> {
  const rows = await sql<FactRow[]>`
    SELECT campaign_id, block_number, block_hash, block_timestamp, transaction_hash,
           transaction_index, log_index, name, args
    FROM ${sql(schema)}.chain_event ORDER BY block_number, log_index`;
  return rows.map((row) => ({ ...row }));
}

/** The rows that there should be: what the chain's own logs say, decoded by viem. */
export async function factsOfChain({
  client,
  contract,
}: Pick<TestChain, 'client' | 'contract'>): Promise<FactRow[]> {
  const logs = await client.getContractEvents({
    address: contract,
    abi: referralCommerceAbi,
    fromBlock: 0n,
    strict: true,
  });
  return Promise.all(
    logs
      .filter(({ eventName }) => isEventName(eventName))
      .map(async (log) => {
        const { timestamp } = await client.getBlock({ blockHash: log.blockHash });
        return {
          campaign_id: String('campaignId' in log.args ? log.args.campaignId : ''),
          block_number: String(log.blockNumber),
          block_hash: log.blockHash,
          block_timestamp: String(timestamp),
          transaction_hash: log.transactionHash,
          transaction_index: log.transactionIndex,
          log_index: log.logIndex,
          name: log.eventName,
          args: plain(log.args),
        };
      }),
  );
}

/** The events of these rows, as settlement reads them. */
export function factsFrom(rows: readonly FactRow[], chainId = 31_337): Fact[] {
  return rows.map((row) => ({
    campaignId: row.campaign_id,
    id: eventId(row, chainId),
    blockNumber: Number(row.block_number),
    blockHash: lower(row.block_hash),
    timestamp: Number(row.block_timestamp),
    transactionHash: lower(row.transaction_hash),
    logIndex: row.log_index,
    ...readEvent(row.name, row.args),
  }));
}

/** Hex digits as the ledger and sessions store them. */
export function lower(hex: string): Hex {
  return `0x${hex.slice(2).toLowerCase()}`;
}

/** Ponder's event id: timestamp 10, chain 16, block 16, transaction 16, type 1 (5: log), log 16. */
export function eventId(row: FactRow, chainId = 31_337): string {
  const parts: [string | number, number][] = [
    [row.block_timestamp, 10],
    [chainId, 16],
    [row.block_number, 16],
    [row.transaction_index, 16],
    [5, 1],
    [row.log_index, 16],
  ];
  return parts.map(([value, digits]) => String(value).padStart(digits, '0')).join('');
}

function plain(args: unknown): unknown {
  return JSON.parse(
    JSON.stringify(args, (_, value: unknown) => {
      if (typeof value === 'bigint') return value.toString();
      if (typeof value !== 'string') return value;
      // PostgreSQL stores no U+0000 (src/encode.ts).
      return isAddress(value) ? value.toLowerCase() : value.replaceAll('\0', '\uFFFD');
    }),
  );
}
