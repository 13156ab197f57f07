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

/**
 * Every event of a sale, oldest first: from the hint on, and from the start of the search where the
 * hint led past its SaleRecorded.
 */
export async function findSaleEvents(reading: Reading): Promise<ChainLog[]> {
  const { fromBlock, head, blockHint } = reading;
  const hinted = blockHint !== undefined && blockHint > fromBlock && blockHint <= head.number;
  const start = hinted ? blockHint : fromBlock;
  const newer = await saleEventsIn(reading, { from: start, to: head.number });
  if (!hinted || logsOf(newer, 'SaleRecorded').length > 0) return newer;
  return [...(await saleEventsIn(reading, { from: fromBlock, to: start - 1n })), ...newer];
}

async function saleEventsIn(
  { client, contractAddress, saleId }: Reading,
  range: BlockRange,
): Promise<ChainLog[]> {
  const topics = [saleEvents.map(selectorOf), topicOf(saleId)];
  const logs = await findLogs(client, contractAddress, topics, range);
  return decodeLogs(logs, contractAddress).filter(
    (log) => 'saleId' in log.args && log.args.saleId === saleId,
  );
}
