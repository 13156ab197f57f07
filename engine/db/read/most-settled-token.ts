import type { Address } from '../../core/events.ts';
import type { Snapshot } from './snapshot.ts';
import { joinStanding } from './standing.ts';

/** A token as the newest campaign that pays in it names it. */
export interface NamedToken {
  readonly address: Address;
  readonly symbol: string;
  readonly decimals: number;
  readonly name: string;
}

/** The one token that sums without a token field count, and those that they leave out. */
export interface SumTokens {
  readonly token: NamedToken;
  /** The most settled first, 50 at most. */
  readonly otherTokens: readonly NamedToken[];
}

/** Whose sums: those of all campaigns of a merchant, or of some of them. */
export interface SumScope {
  readonly merchant: Address;
  /** Only these, as `ledgerId` gives them; left out, all. */
  readonly campaignIds?: readonly string[] | undefined;
}

/** Tokens that an answer names: anybody may create campaigns in any. */
const TOKENS_MOST = 51;

/**
 * The token of most settled sales there (finalized and not reversed) as of the settled block; of two
 * with as many, the one of the lower address (design §7). Tokens without a settled sale come last.
 * One statement, by the campaigns' own counters: a probe for each.
 *
 * @returns `null` where there is no campaign.
 * @example
 * const tokens = await mostSettledToken(snapshot, { merchant });
 * // … where campaign.token = ${tokens.token.address}
 */
export async function mostSettledToken(
  { sql, head }: Snapshot,
  { merchant, campaignIds }: SumScope,
): Promise<SumTokens | null> {
  const these =
    campaignIds === undefined
      ? sql``
      : sql`and campaign.campaign_id = any(${[...campaignIds]}::bigint[])`;
  const rows = await sql<NamedToken[]>`
    select campaign.token as address,
      (array_agg(campaign.token_symbol order by campaign.campaign_id desc))[1] as symbol,
      (array_agg(campaign.token_decimals order by campaign.campaign_id desc))[1] as decimals,
      (array_agg(campaign.token_name order by campaign.campaign_id desc))[1] as name
    from ledger.campaign campaign
    ${joinStanding(sql, head, sql`finalized_count - reversed_count as settled`)}
    where campaign.merchant = ${merchant} and campaign.created_block <= ${head.number} ${these}
    group by campaign.token
    order by sum(standing.settled) desc, campaign.token collate "C" limit ${TOKENS_MOST}`;
  const [token, ...otherTokens] = rows.map((row) => ({ ...row }));
  return token === undefined ? null : { token, otherTokens };
}
