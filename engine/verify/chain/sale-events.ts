import type { EventName } from '../../core/events.ts';
import { type ChainLog, decodeLogs, logsOf } from './decode.ts';
import type { Reading } from './reading.ts';
import { type BlockRange, findLogs } from './search.ts';
import { selectorOf, topicOf } from './topics.ts';

/** The events that name a sale; `saleId` is the first topic of all. */
const saleEvents = [
  'SaleAttested',
  'SaleRecorded',
  'RewardReleased',
  'SaleRefunded',
  'RewardVested',
  'SaleFinalized',
  'RewardReversed',
  'SaleReversed',
] as const satisfies readonly EventName[];

/** Where a sale's events are searched, up to which block. */
interface SaleSearch extends Omit<Reading, 'head' | 'nodeHints'> {
  readonly lastBlock: bigint;
}

/**
 * Every event of a sale, oldest first: from the hint on, and from the start of the search where the
 * hint led past its SaleRecorded.
 */
export async function findSaleEvents(search: SaleSearch): Promise<ChainLog[]> {
  const { fromBlock, lastBlock, blockHint } = search;
  const hinted = blockHint !== undefined && blockHint > fromBlock && blockHint <= lastBlock;
  const start = hinted ? blockHint : fromBlock;
  const newer = await saleEventsIn(search, { from: start, to: lastBlock });
  if (!hinted || logsOf(newer, 'SaleRecorded').length > 0) return newer;
  return [...(await saleEventsIn(search, { from: fromBlock, to: start - 1n })), ...newer];
}

async function saleEventsIn(
  { client, contractAddress, saleId }: SaleSearch,
  range: BlockRange,
): Promise<ChainLog[]> {
  const topics = [saleEvents.map(selectorOf), topicOf(saleId)];
  const logs = await findLogs(client, contractAddress, topics, range);
  return decodeLogs(logs, contractAddress).filter(
    (log) => 'saleId' in log.args && log.args.saleId === saleId,
  );
}
