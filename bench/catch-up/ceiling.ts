import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type AbiEvent, decodeAbiParameters, type Hex, type RpcLog, toEventSelector } from 'viem';
import { referralCommerceAbi } from '../../abis/referralCommerce.ts';
import { openPool } from '../../engine/db/connection.ts';
import type { TestChain } from '../../test/support/chain.ts';

/** Blocks of one `eth_getLogs`. */
const BLOCKS_AT_ONCE = 500;

const COLUMNS = `block_number, block_timestamp, transaction_index, log_index, campaign_id, block_hash,
  transaction_hash, name, args`;

/** anvil returns the time of a log's block with the log. */
type TimedLog = RpcLog & { readonly blockTimestamp: `0x${string}` };

/**
 * The least that any indexer has to do: requests the logs, decodes them, and copies the same rows as
 * ours into a table like its own.
 */
export async function copyLogs(chain: TestChain, databaseUrl: string): Promise<void> {
  const pool = openPool(databaseUrl, { max: 1 });
  try {
    await pool.unsafe(`create table chain_event (
      block_number bigint, block_timestamp bigint, transaction_index integer, log_index integer,
      campaign_id numeric(78), block_hash text, transaction_hash text, name text, args json,
      primary key (campaign_id, block_number, log_index))`);
    const head = Number(await chain.client.getBlockNumber());
    for (let from = Number(chain.startBlock); from <= head; from += BLOCKS_AT_ONCE) {
      const logs = await getLogs(chain, from, Math.min(head, from + BLOCKS_AT_ONCE - 1));
      const text = logs.map(rowOf).join('');
      const into = await pool.unsafe(`copy chain_event (${COLUMNS}) from stdin`).writable();
      await pipeline(Readable.from([text]), into);
    }
  } finally {
    await pool.end();
  }
}

async function getLogs(chain: TestChain, from: number, to: number): Promise<readonly TimedLog[]> {
  // Not by viem's transport, which refuses answers of more than 10 MiB.
  const range = { fromBlock: `0x${from.toString(16)}`, toBlock: `0x${to.toString(16)}` };
  const body = {
    jsonrpc: '2.0',
    id: 1,
    method: 'eth_getLogs',
    params: [{ address: chain.contract, ...range }],
  };
  const response = await fetch(chain.anvil.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const { result }: { result?: readonly TimedLog[] } = JSON.parse(await response.text());
  if (result === undefined) throw new Error('anvil did not answer with logs');
  return result;
}

function rowOf(log: TimedLog): string {
  const { data, topics, blockHash, transactionHash } = log;
  const { name, args } = decoded(topics, data);
  const { blockNumber, blockTimestamp, transactionIndex, logIndex } = log;
  const location = [blockNumber, blockTimestamp, transactionIndex, logIndex].map(Number);
  const json = JSON.stringify(args, toJson).replaceAll('\\', '\\\\');
  const { campaignId } = { campaignId: 0n, ...args };
  return `${[...location, campaignId, blockHash, transactionHash, name, json].join('\t')}\n`;
}

/**
 * By tables that are made once: viem's `decodeEventLog` hashes the signatures of the whole ABI for
 * each log, which took most of the time, and made a ceiling that we were twice as fast as.
 */
function decoded(topics: readonly Hex[], data: Hex) {
  const [selector = '0x', ...indexed] = topics;
  const event = events.get(selector);
  if (event === undefined) throw new Error(`no event has the selector ${selector}`);
  const plain = decodeAbiParameters(event.plain, data);
  const args: Record<string, unknown> = {};
  event.plain.forEach(({ name = '' }, i) => {
    args[name] = plain[i];
  });
  event.indexed.forEach((input, i) => {
    args[input.name ?? ''] = decodeAbiParameters([input], indexed[i] ?? '0x')[0];
  });
  return { name: event.name, args };
}

interface EventTable {
  readonly name: string;
  readonly indexed: AbiEvent['inputs'];
  readonly plain: AbiEvent['inputs'];
}

const events: ReadonlyMap<Hex, EventTable> = new Map(
  (referralCommerceAbi as readonly { readonly type: string }[])
    .filter((item): item is AbiEvent => item.type === 'event')
    .map((item) => [
      toEventSelector(item),
      {
        name: item.name,
        indexed: item.inputs.filter(({ indexed }) => indexed === true),
        plain: item.inputs.filter(({ indexed }) => indexed !== true),
      },
    ]),
);

/** As `src/encode.ts` has it: wide integers as digits, addresses in lower case. */
function toJson(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString();
  return typeof value === 'string' && value.startsWith('0x') ? value.toLowerCase() : value;
}
