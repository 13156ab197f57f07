import type { Campaign } from '../../core/campaign.ts';
import { type Address, type Fact, readEvent } from '../../core/events.ts';
import { type CampaignState, paymentOf } from '../../core/fold/index.ts';
import type { Sql } from '../connection.ts';
import type { Cursor } from './cursor.ts';
import { byCampaign } from './grouped.ts';

/** What is known of the credits that a batch names, by campaign. */
export interface LoadedCredits {
  readonly credits: ReadonlyMap<string, readonly (readonly [Address, bigint])[]>;
  /** The event before a first fact that credits a payment. */
  readonly before: ReadonlyMap<string, readonly ReturnType<typeof readEvent>[]>;
}

/** Where a campaign is, and the facts that come next. */
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

/** A campaign's part of what was loaded, as its state holds it. */
export function creditsOf(
  { credits, before }: LoadedCredits,
  campaignId: string,
  { trustMode }: Pick<Campaign, 'trustMode'>,
): Pick<CampaignState, 'credits' | 'payment'> {
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
        ? [{ campaignId: cursor.campaignId, account: args.account }]
        : [],
    ),
  );
  if (named.length === 0) return new Map();
  const rows = await sql<{ campaign_id: string; account: Address; credit_after: string }[]>`
    select credit.* from (
      select distinct * from unnest(
        ${named.map(({ campaignId }) => campaignId)}::bigint[],
        ${named.map(({ account }) => account)}::text[]
      ) as named (campaign_id, account)
    ) named
    cross join lateral (
      select campaign_id, account, credit_after from ledger.credit
      where campaign_id = named.campaign_id and account = named.account
      order by seq desc limit 1
    ) credit`;
  return byCampaign(rows, (row) => [row.account, BigInt(row.credit_after)] as const);
}

async function loadEventsBefore(
  sql: Sql,
  parts: readonly Part[],
): Promise<LoadedCredits['before']> {
  if (parts.length === 0) return new Map();
  const rows = await sql<{ campaign_id: string; name: string; args: unknown }[]>`
    select event.* from unnest(
      ${parts.map(({ cursor }) => cursor.campaignId)}::bigint[],
      ${parts.map(({ cursor }) => cursor.seq)}::bigint[]
    ) as named (campaign_id, seq)
    cross join lateral (
      select campaign_id, name, args from ledger.journal
      where campaign_id = named.campaign_id and seq = named.seq offset 0
    ) event`;
  return byCampaign(rows, ({ name, args }) => readEvent(name, args));
}
