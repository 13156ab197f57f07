import { canonicalEvent } from '../../../core/digest.ts';
import { readEvent } from '../../../core/events.ts';
import type { Sql } from '../../connection.ts';
import { ledgerId } from '../../ids.ts';
import {
  address,
  as,
  hex,
  id,
  integer,
  nullable,
  optional,
  rowCodec,
  type StoredRow,
  seconds,
  small,
  text,
  type View,
} from '../../row.ts';
import { campaignStateRow } from '../../rows/campaign.ts';
import { entryRow } from '../../rows/event.ts';
import { joinCampaignState } from '../as-of/campaign.ts';
import { asEntries } from '../as-of/reservations.ts';
import type { Snapshot } from '../snapshot.ts';

const digestAtRow = rowCodec({ campaignId: id, digest: hex, seq: integer });

/** A campaign's digest after its newest event at or below a block. */
export type DigestAt = View<typeof digestAtRow>;

/** The digests of all campaigns that existed at a block, by campaign id: one probe for each. */
export async function digestsAt(sql: Sql, blockNumber: number): Promise<DigestAt[]> {
  const rows = await sql<StoredRow[]>`
    select campaign.campaign_id, campaign_state.digest, campaign_state.seq
    from ledger.campaign
    ${joinCampaignState(sql, { number: blockNumber }, sql`digest, seq`)}
    order by campaign.campaign_id`;
  return rows.map(digestAtRow.decode);
}

const digestEntry = rowCodec({
  kind: entryRow.fields.kind,
  account: address,
  saleId: nullable(id),
  level: nullable(small),
  nodeId: nullable(id),
  amount: id,
  after: {
    reserved: id.from('reserved_after'),
    claimable: id.from('claimable_after'),
    claimed: id.from('claimed_after'),
    refunded: id.from('refunded_after'),
    reversed: id.from('reversed_after'),
  },
});

/** A movement of an account's money; amounts in base units, decimal digits. */
export type EntryView = View<typeof digestEntry>;

const digestEvent = rowCodec({
  seq: integer,
  blockNumber: integer,
  blockHash: hex,
  timestamp: seconds.from('block_timestamp'),
  transactionHash: hex,
  transactionIndex: small,
  logIndex: small,
  /** The credit that it changed; base units, decimal digits. */
  credit: optional({ account: address.from('credit_account'), after: id.from('credit_after') }),
  standing: campaignStateRow.fields,
  digest: hex,
});

const loggedEvent = rowCodec({ name: text, args: as<unknown>() });

/** Everything that an event adds to the digest (`docs/reference/digest.md`). */
export interface DigestEventView extends View<typeof digestEvent> {
  /** The canonical JSON that is hashed. */
  readonly event: string;
  readonly entries: readonly EntryView[];
}

/**
 * Events of a campaign after one of its events, oldest first: two statements.
 * @returns `undefined` if there is no such campaign at the settled block.
 */
export async function digestEvents(
  { sql, head }: Snapshot,
  campaignId: string,
  { afterSeq, limit }: { readonly afterSeq: string; readonly limit: number },
): Promise<DigestEventView[] | undefined> {
  const campaign = ledgerId(campaignId);
  if (campaign === undefined) return undefined;
  const [[found], rows, entries] = await Promise.all([
    sql`
      select 1 from ledger.campaign where campaign_id = ${campaign} and created_block <= ${head.number}`,
    sql<StoredRow[]>`
      select journal.*, credit.account as credit_account, credit.credit_after
      from ledger.journal
      left join ledger.credit
        on credit.campaign_id = journal.campaign_id and credit.seq = journal.seq
      where journal.campaign_id = ${campaign} and journal.seq > ${afterSeq}::bigint
        and journal.block_number <= ${head.number}
      order by journal.seq limit ${limit}`,
    sql<StoredRow[]>`
      select * from (
        select kind, account, sale_id, level, node_id, amount, reserved_after, claimable_after,
          claimed_after, refunded_after, reversed_after, seq, ordinal
        from ledger.entry
        where campaign_id = ${campaign} and seq > ${afterSeq}::bigint
          and seq <= ${afterSeq}::bigint + ${limit}
        union all
        select kind, account, sale_id, level, node_id, amount, reserved_after, claimable_after,
          claimed_after, refunded_after, reversed_after, seq, ordinal
        from ${asEntries(sql, levelsOfEvents(sql, campaign, { afterSeq, limit }))} reserved
      ) entry
      order by seq, ordinal`,
  ]);
  if (found === undefined) return undefined;
  const bySeq = new Map<number, EntryView[]>();
  for (const row of entries) {
    const { seq } = position.decode(row);
    bySeq.set(seq, [...(bySeq.get(seq) ?? []), digestEntry.decode(row)]);
  }
  return rows.map((row) => {
    const event = digestEvent.decode(row);
    const { name, args } = loggedEvent.decode(row);
    // PostgreSQL stores the arguments in an order of its own.
    const canonical = canonicalEvent(readEvent(name, args));
    return { ...event, event: canonical, entries: bySeq.get(event.seq) ?? [] };
  });
}

const position = rowCodec({ seq: integer });

/** Levels that events of a page reserved. */
function levelsOfEvents(
  sql: Sql,
  campaign: string,
  { afterSeq, limit }: { readonly afterSeq: string; readonly limit: number },
) {
  return sql`
    select level.*, sale.seq, sale.block_number from ledger.journal recorded
    join ledger.sale on sale.campaign_id = recorded.campaign_id
      and sale.sale_id = recorded.sale_id and sale.seq = recorded.seq
    join ledger.sale_level level
      on level.campaign_id = sale.campaign_id and level.sale_id = sale.sale_id
    where recorded.campaign_id = ${campaign} and recorded.seq > ${afterSeq}::bigint
      and recorded.seq <= ${afterSeq}::bigint + ${limit} and level.share <> 0`;
}
