import { once } from 'node:events';
import { finished } from 'node:stream/promises';
import type { Pool } from '../../engine/db/connection.ts';
import type { FactRow } from './sale-history.ts';

/** Characters of rows that are sent together. */
const CHUNK_LENGTH = 1 << 18;

/** Copies facts into the indexer's table, as the indexer itself would have written them. */
export async function copyFacts(
  pool: Pool,
  schema: string,
  facts: Iterable<FactRow>,
): Promise<number> {
  return await pool.begin(async (connection) => {
    const sink = await connection`copy ${connection(schema)}.chain_event from stdin`.writable();
    let chunk = '';
    let rows = 0;
    const send = async () => {
      if (!sink.write(chunk)) await once(sink, 'drain');
      chunk = '';
    };
    for (const fact of facts) {
      chunk += lineOf(fact);
      rows += 1;
      if (chunk.length > CHUNK_LENGTH) await send();
    }
    await send();
    sink.end();
    await finished(sink);
    return rows;
  });
}

function lineOf({ campaignId, block, transactionHash, logIndex, name, args }: FactRow): string {
  const json = JSON.stringify(args).replaceAll('\\', '\\\\');
  const calldataEnd = name === 'SaleRecorded' ? '0x' : '\\N';
  const location = `${block.number}\t${block.timestamp}\t0\t${logIndex}`;
  return `${location}\t${campaignId}\t${block.hash}\t${transactionHash}\t${name}\t${json}\t${calldataEnd}\n`;
}
