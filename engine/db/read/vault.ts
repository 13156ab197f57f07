import type { CampaignLedger } from '../../core/campaign.ts';
import type { Address } from '../../core/events.ts';
import { ledgerColumnNames, ledgerOf, type StandingRow } from '../write/standing-columns.ts';
import { toInteger, toIntegerOrNull } from './ids.ts';
import type { Snapshot } from './snapshot.ts';
import { joinStanding } from './standing.ts';

/** The ledgers of a merchant's campaigns of one token, added up; base units. */
export interface VaultView {
  readonly token: { address: Address; symbol: string; decimals: number; name: string };
  readonly campaigns: number;
  readonly ledger: CampaignLedger;
}

/** Tokens that are told: the ones of the largest deposits. */
const TOKENS_MOST = 200;

type VaultRow = Pick<StandingRow, (typeof ledgerColumnNames)[number]> & {
  token: Address;
  symbol: string;
  decimals: number;
  name: string;
  campaigns: string;
};

/**
 * All campaigns of a merchant, by token, the largest deposit first (tie: the lowest address): one
 * statement. A token may name itself anew: the newest campaign's word holds.
 */
export async function vaultsOf(
  { sql, head }: Snapshot,
  merchant: Address,
): Promise<{ readonly vaults: readonly VaultView[]; readonly newestBlock: number | null }> {
  const sums = ledgerColumnNames.map((name) => sql`sum(standing.${sql(name)}) as ${sql(name)}`);
  const rows = await sql<(VaultRow & { newest_block: string | null })[]>`
    select campaign.token,
      (array_agg(campaign.token_symbol order by campaign.campaign_id desc))[1] as symbol,
      (array_agg(campaign.token_decimals order by campaign.campaign_id desc))[1] as decimals,
      (array_agg(campaign.token_name order by campaign.campaign_id desc))[1] as name,
      count(*) as campaigns, max(standing.block_number) as newest_block
      ${sums.map((sum) => sql`, ${sum}`)}
    from ledger.campaign campaign
    ${joinStanding(sql, head)}
    where campaign.merchant = ${merchant} and campaign.created_block <= ${head.number}
    group by campaign.token
    order by sum(standing.net_deposited) desc, campaign.token limit ${TOKENS_MOST}`;
  const blocks = rows.map((row) => toIntegerOrNull(row.newest_block) ?? 0);
  return {
    vaults: rows.map((row) => ({
      token: { address: row.token, symbol: row.symbol, decimals: row.decimals, name: row.name },
      campaigns: toInteger(row.campaigns),
      ledger: ledgerOf(row),
    })),
    newestBlock: blocks.length === 0 ? null : Math.max(...blocks),
  };
}
