import type { Standing } from '../../core/campaign.ts';
import { canonicalEvent } from '../../core/digest.ts';
import type { Address, Hex } from '../../core/events.ts';
import { readEvent } from '../../core/events.ts';
import type { EntryKind } from '../../core/fold/index.ts';
import type { CampaignDigest } from '../../core/merkle.ts';
import type { Sql } from '../connection.ts';
import { type StandingRow, standingOf } from '../write/standing-columns.ts';
import { ledgerId, toInteger } from './ids.ts';
import type { Snapshot } from './snapshot.ts';

/** A campaign's digest after its newest event at or below a block. */
export interface DigestAt extends CampaignDigest {
  readonly seq: number;
}

/** Of every campaign that there was at a block, in ascending order of id: a probe for each. */
export async function digestsAt(sql: Sql, blockNumber: number): Promise<DigestAt[]> {
  const rows = await sql<{ campaign_id: string; digest: Hex; seq: string }[]>`
    select campaign.campaign_id, newest.digest, newest.seq
    from ledger.campaign
    join lateral (
      select digest, seq from ledger.journal
      where campaign_id = campaign.campaign_id and block_number <= ${blockNumber}
      order by block_number desc, seq desc limit 1
    ) newest on true
    order by campaign.campaign_id`;
  return rows.map((row) => ({
    campaignId: row.campaign_id,
    digest: row.digest,
    seq: toInteger(row.seq),
  }));
}

/** All that an event's part of the digest is made of (`docs/digest.md`). */
export interface DigestEventView {
  readonly seq: number;
  readonly eventId: string;
  readonly blockNumber: number;
  readonly blockHash: Hex;
  readonly transactionHash: Hex;
  readonly logIndex: number;
  /** The canonical JSON that is hashed. */
  readonly event: string;
  readonly entries: readonly EntryView[];
  /** The credit that it changed; base units, decimal digits. */
  readonly credit: { readonly account: Address; readonly after: string } | null;
  readonly standing: Standing;
  readonly digest: Hex;
}

/** A movement of an account's money; amounts in base units, decimal digits. */
export interface EntryView {
  readonly kind: EntryKind;
  readonly account: Address;
  readonly saleId: string | null;
  readonly level: number | null;
  readonly nodeId: string | null;
  readonly amount: string;
  readonly after: {
    readonly reserved: string;
    readonly claimable: string;
    readonly claimed: string;
    readonly refunded: string;
    readonly reversed: string;
  };
}

interface EventRow extends StandingRow {
  seq: string;
  event_id: string;
  block_number: string;
  block_hash: Hex;
  transaction_hash: Hex;
  log_index: number;
  name: string;
  args: unknown;
  digest: Hex;
  credit_account: Address | null;
  credit_after: string;
}

interface EntryRow {
  seq: string;
  kind: EntryKind;
  account: Address;
  sale_id: string | null;
  level: number | null;
  node_id: string | null;
  amount: string;
  reserved_after: string;
  claimable_after: string;
  claimed_after: string;
  refunded_after: string;
  reversed_after: string;
}

/**
 * Events of a campaign after one of its events, oldest first: two statements.
 * @returns `undefined` where there is no such campaign at the settled block.
 */
export async function digestEvents(
  { sql, head }: Snapshot,
  campaignId: string,
  { afterSeq, limit }: { readonly afterSeq: string; readonly limit: number },
): Promise<DigestEventView[] | undefined> {
  const id = ledgerId(campaignId);
  if (id === undefined) return undefined;
  const [[found], rows, entries] = await Promise.all([
    sql`
      select 1 from ledger.campaign where campaign_id = ${id} and created_block <= ${head.number}`,
    sql<EventRow[]>`
      select journal.*, credit.account as credit_account, credit.credit_after
      from ledger.journal
      left join ledger.credit
        on credit.campaign_id = journal.campaign_id and credit.seq = journal.seq
      where journal.campaign_id = ${id} and journal.seq > ${afterSeq}::bigint
        and journal.block_number <= ${head.number}
      order by journal.seq limit ${limit}`,
    sql<EntryRow[]>`
      select * from ledger.entry
      where campaign_id = ${id} and seq > ${afterSeq}::bigint
        and seq <= ${afterSeq}::bigint + ${limit}
      order by seq, ordinal`,
  ]);
  if (found === undefined) return undefined;
  const bySeq = new Map<string, EntryRow[]>();
  for (const entry of entries) bySeq.set(entry.seq, [...(bySeq.get(entry.seq) ?? []), entry]);
  return rows.map((row) => eventOf(row, bySeq.get(row.seq) ?? []));
}

function eventOf(row: EventRow, entries: readonly EntryRow[]): DigestEventView {
  return {
    seq: toInteger(row.seq),
    eventId: row.event_id,
    blockNumber: toInteger(row.block_number),
    blockHash: row.block_hash,
    transactionHash: row.transaction_hash,
    logIndex: row.log_index,
    // PostgreSQL keeps the arguments in an order of its own.
    event: canonicalEvent(readEvent(row.name, row.args)),
    entries: entries.map(entryOf),
    credit:
      row.credit_account === null ? null : { account: row.credit_account, after: row.credit_after },
    standing: standingOf(row),
    digest: row.digest,
  };
}

function entryOf(row: EntryRow): EntryView {
  return {
    kind: row.kind,
    account: row.account,
    saleId: row.sale_id,
    level: row.level,
    nodeId: row.node_id,
    amount: row.amount,
    after: {
      reserved: row.reserved_after,
      claimable: row.claimable_after,
      claimed: row.claimed_after,
      refunded: row.refunded_after,
      reversed: row.reversed_after,
    },
  };
}
