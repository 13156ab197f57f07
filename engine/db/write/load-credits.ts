import type { Campaign } from '../../core/campaign.ts';
import { type Address, type Fact, readEvent } from '../../core/events.ts';
import { type FoldState, paymentOf } from '../../core/fold/index.ts';
import type { Sql } from '../connection.ts';
import { groupByCampaign } from '../group-by.ts';
import { fence } from '../planner.ts';
import type { StoredRow } from '../row.ts';
import { creditRow } from '../rows/account.ts';
import type { Cursor } from './cursor.ts';
import { unnestSql } from './statements.ts';

/** The credits that the facts of a batch name, by campaign. */
export interface LoadedCredits {
  readonly credits: ReadonlyMap<string, readonly (readonly [Address, bigint])[]>;
  /** The event before the batch, if its first fact credits a payment. */
  readonly before: ReadonlyMap<string, readonly ReturnType<typeof readEvent>[]>;
}

/** A campaign's cursor, and the facts that come next. */
interface Part {
  readonly cursor: Cursor;
  readonly facts: readonly Fact[];
}

/**
 * Loads the credits that facts change, and the payment that a first fact credits. Refused payments are
 * rare: without one, no statement is sent.
 */
export async function loadCredits(sql: Sql, parts: readonly Part[]): Promise<LoadedCredits> {
  const [credits, before] = await Promise.all([
    loadBalances(sql, parts),
    loadEventsBefore(
      sql,
      parts.filter(({ facts }) => facts[0]?.name === 'PaymentCredited'),
    ),
  ]);
  return { credits, before };
}

/** The loaded credits of one campaign, in the shape of its fold state. */
export function creditsOf(
  { credits, before }: LoadedCredits,
  campaignId: string,
  { trustMode }: Pick<Campaign, 'trustMode'>,
): Pick<FoldState, 'credits' | 'payment'> {
  const [event] = before.get(campaignId) ?? [];
  return {
    credits: new Map(credits.get(campaignId) ?? []),
    payment: event === undefined ? null : paymentOf(event, trustMode === 'NATIVE_ONCHAIN'),
  };
}

async function loadBalances(sql: Sql, parts: readonly Part[]): Promise<LoadedCredits['credits']> {
  const named = parts.flatMap(({ cursor, facts }) =>
    facts.flatMap(({ name, args }) =>
      name === 'PaymentCredited' || name === 'CreditWithdrawn'
        ? [{ campaign_id: cursor.campaignId, account: args.account }]
        : [],
    ),
  );
  if (named.length === 0) return new Map();
  const rows = await sql<StoredRow[]>`
    select credit.* from (
      select distinct *
      from ${unnestSql(sql, 'named', { campaign_id: 'bigint', account: 'text' }, named)}
    ) named
    cross join lateral (
      select campaign_id, account, credit_after from ledger.credit
      where campaign_id = named.campaign_id and account = named.account
      order by seq desc limit 1
    ) credit`;
  return groupByCampaign(rows, (row) => {
    const { account, after } = creditRow.decode(row);
    return [account, after] as const;
  });
}

async function loadEventsBefore(
  sql: Sql,
  parts: readonly Part[],
): Promise<LoadedCredits['before']> {
  if (parts.length === 0) return new Map();
  const named = parts.map(({ cursor }) => ({ campaign_id: cursor.campaignId, seq: cursor.seq }));
  const rows = await sql<{ name: string; args: unknown }[]>`
    select event.*
    from ${unnestSql(sql, 'named', { campaign_id: 'bigint', seq: 'bigint' }, named)}
    cross join lateral (
      select campaign_id, name, args from ledger.journal
      where campaign_id = named.campaign_id and seq = named.seq ${fence(sql)}
    ) event`;
  return groupByCampaign(rows, ({ name, args }) => readEvent(name, args));
}
