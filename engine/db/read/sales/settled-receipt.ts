import type { Sql } from '../../connection.ts';
import { flag, id, integer, rowCodec, type StoredRow } from '../../row.ts';
import { transactionRow } from '../../rows/event.ts';
import { saleRow } from '../../rows/sale.ts';
import type { NamedFragments } from '../../sql.ts';
import { batched } from '../batched-read.ts';
import type { AsOf } from '../one-read.ts';
import type { ReadHead } from '../snapshot.ts';
import { withoutCampaign } from './events.ts';
import { sortMissed, withState } from './levels.ts';
import { evidenceFields, MAX_EVENTS, type ReceiptView } from './receipt.ts';
import { type BeyondLevels, decodeLists, listsOfSale, type PathLevel } from './receipt-lists.ts';

/** Result of a read if only `receiptRead` can tell what the receipt was at the settled block. */
export const NEEDS_WHOLE_READ = Symbol('a receipt that must be read as of the settled block');

/** Columns of the newest row of a sale, before it is known that they are those of the settled block. */
const newestSale = rowCodec({
  campaignId: id,
  /** Sequence number of the event that recorded it. */
  seq: integer,
  /** Sequence number of the newest event that changed it, settled or not. */
  changedSeq: integer,
  ...saleRow.fields,
  record: transactionRow.fields,
  calldataEnd: evidenceFields.calldataEnd,
  /** True if its campaign has any. */
  hasDiscrepancies: flag,
});

/**
 * Reads a sale's receipt at the settled block: one statement for concurrent requests, which reads the newest rows and
 * no versions. That is right unless a later event has changed the sale or claimed one of its levels. Then, and for a
 * campaign with discrepancies, it returns `NEEDS_WHOLE_READ`. `undefined` if `getSale` finds no sale.
 * @param saleId as `probeId` returns it.
 */
export const readSettledReceipt = batched<
  StoredRow,
  ReceiptView | typeof NEEDS_WHOLE_READ | undefined
>({
  select,
  keyOf: ({ sale_id: saleId }) => String(saleId),
  // While a reorg moves the id from one campaign to another, two sales can have it.
  answer: ([row, other], head) =>
    other !== undefined ? NEEDS_WHOLE_READ : row && viewOf(row, head),
});

function select(sql: Sql, at: AsOf, { keys }: NamedFragments<'keys'>) {
  return sql`
    select sale.campaign_id, sale.seq, sale.changed_seq, ${saleRow.columns(sql, 'sale')},
      ${transactionRow.columns(sql, 'sale')}, sale.calldata_end,
      exists (
        select from ledger.discrepancy where campaign_id = sale.campaign_id
      ) as has_discrepancies, ${listsOfSale(sql, at)}
    from ledger.sale sale
    where sale.sale_id = any(${keys}::bigint[]) and sale.block_number <= ${at.number}`;
}

function viewOf(row: StoredRow, head: ReadHead): ReceiptView | typeof NEEDS_WHOLE_READ {
  const sale = newestSale.decode(row);
  const { terms, policy, before, attestation, levels, beyond, missed, events } = decodeLists(row);
  const recorded = events.find(({ seq }) => seq === sale.seq);
  const newest = events.at(-1);
  if (
    terms === null ||
    policy === null ||
    before === null ||
    recorded === undefined ||
    newest === undefined ||
    events.length === MAX_EVENTS ||
    sale.changedSeq > newest.seq ||
    sale.hasDiscrepancies ||
    levels.some(({ claimBlock }) => claimBlock !== null && claimBlock > head.number)
  ) {
    return NEEDS_WHOLE_READ;
  }
  const { hasDiscrepancies: _none, seq: _seq, changedSeq: _changed, ...shown } = sale;
  const whole = {
    ...shown,
    ...terms,
    ...before,
    policy,
    attestation,
    newestBlock: newest.blockNumber,
    recordedBlockHash: recorded.blockHash,
    recordedLogIndex: recorded.logIndex,
  };
  const path = pathOf(whole, levels, beyond);
  if (path === undefined) return NEEDS_WHOLE_READ;
  return {
    sale: whole,
    path,
    levels: levels.map((level) => withState(level, sale.state)),
    missed: sortMissed(missed),
    events: events.map(withoutCampaign),
    discrepancies: [],
  };
}

/** The nodes of the levels and the one beyond them; `undefined` if they are not the path from the sale's node. */
function pathOf(
  { nodeId, policy }: Pick<ReceiptView['sale'], 'nodeId' | 'policy'>,
  levels: readonly PathLevel[],
  beyond: BeyondLevels | null,
): ReceiptView['path'] | undefined {
  const path: ReceiptView['path'][number][] = [];
  let next = nodeId;
  for (const { nodeId, owner, parentNodeId } of levels) {
    if (owner === null || nodeId !== next) return undefined;
    path.push({ nodeId, parentNodeId, owner });
    next = parentNodeId;
  }
  if (next === null) return path;
  const isWhole = levels.length === policy.maxRewardedAncestors && beyond?.nodeId === next;
  return isWhole ? [...path, beyond] : undefined;
}
