import type { Address } from '../../core/events.ts';
import type { Sql } from '../connection.ts';
import { address, rowCodec, type StoredRow, small, text, type View } from '../row.ts';
import { joinCampaignState } from './as-of/campaign.ts';
import type { Snapshot } from './snapshot.ts';

/** Row codec of `NamedToken`. */
export const tokenView = rowCodec({
  address: address.from('token'),
  symbol: text,
  decimals: small,
  name: text,
});

/** A token as the newest campaign that pays in it describes it: columns `token` and `tokenWords`. */
export type NamedToken = View<typeof tokenView>;

/**
 * Symbol, decimals and name of a token for a select from `campaign` that is grouped by token. A token can
 * change them, so those of the newest campaign are used.
 */
export function tokenWords(sql: Sql) {
  return sql`
    (array_agg(campaign.token_symbol order by campaign.campaign_id desc))[1] as symbol,
    (array_agg(campaign.token_decimals order by campaign.campaign_id desc))[1] as decimals,
    (array_agg(campaign.token_name order by campaign.campaign_id desc))[1] as name`;
}

/** The token of totals without a token field, and the tokens that these totals leave out. */
export interface SumTokens {
  readonly token: NamedToken;
  /** The most settled first, 50 at most. */
  readonly otherTokens: readonly NamedToken[];
}

/** The campaigns of totals: all of a merchant, or some of them. */
export interface SumScope {
  readonly merchant: Address;
  /** Only these, as `ledgerId` returns them; if left out, all. */
  readonly campaignIds?: readonly string[] | undefined;
}

/** Maximum number of tokens in a response: anybody can create campaigns in any token. */
const MAX_TOKENS = 51;

/**
 * The token with the most settled sales (finalized and not reversed) as of the settled block; of two with
 * equally many, the one with the lower address. Tokens without a settled sale are last. One statement, one
 * probe for the counters of each campaign.
 *
 * @returns `null` if there is no campaign.
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
  const rows = await sql<StoredRow[]>`
    select campaign.token,
      ${tokenWords(sql)}
    from ledger.campaign campaign
    ${joinCampaignState(sql, head, sql`finalized_count - reversed_count as settled`)}
    where campaign.merchant = ${merchant} and campaign.created_block <= ${head.number} ${these}
    group by campaign.token
    order by sum(campaign_state.settled) desc, campaign.token collate "C" limit ${MAX_TOKENS}`;
  const [token, ...otherTokens] = rows.map(tokenView.decode);
  return token === undefined ? null : { token, otherTokens };
}
