import type { Address } from '../../../core/events.ts';
import { integer, rowCodec, type StoredRow, type View } from '../../row.ts';
import { ledgerRow } from '../../rows/campaign.ts';
import { joinCampaignState } from '../as-of/campaign.ts';
import type { Snapshot } from '../snapshot.ts';
import { tokenView, tokenWords } from '../tokens.ts';

const vaultView = rowCodec({
  token: tokenView.fields,
  campaigns: integer,
  ledger: ledgerRow.fields,
  /** Block of the newest event of the campaigns. */
  newestBlock: integer,
});

/** The ledgers of a merchant's campaigns of one token, added up; base units. */
export type VaultView = View<typeof vaultView>;

/** Maximum number of tokens in a response: those with the largest deposits. */
const MAX_TOKENS = 200;

/**
 * The vaults of a merchant, the largest deposit first; of two equal ones, the one of the token with the lower
 * address. One statement.
 */
export async function vaultsOf(
  { sql, head }: Snapshot,
  merchant: Address,
): Promise<{ readonly vaults: readonly VaultView[]; readonly newestBlock: number | null }> {
  const sums = ledgerRow.names.map((name) => sql`sum(campaign_state.${sql(name)}) as ${sql(name)}`);
  const rows = await sql<StoredRow[]>`
    select campaign.token,
      ${tokenWords(sql)},
      count(*) as campaigns, max(campaign_state.block_number) as newest_block
      ${sums.map((sum) => sql`, ${sum}`)}
    from ledger.campaign campaign
    ${joinCampaignState(sql, head)}
    where campaign.merchant = ${merchant} and campaign.created_block <= ${head.number}
    group by campaign.token
    order by sum(campaign_state.net_deposited) desc, campaign.token limit ${MAX_TOKENS}`;
  const vaults = rows.map(vaultView.decode);
  const blocks = vaults.map(({ newestBlock }) => newestBlock);
  return { vaults, newestBlock: blocks.length === 0 ? null : Math.max(...blocks) };
}
