import type { Address } from '../../core/events.ts';
import type { CampaignView } from './campaign-rows.ts';
import { toInteger } from './ids.ts';
import type { Snapshot } from './snapshot.ts';

/** What an account is in a campaign that it may join. */
export interface JoinerView {
  /** On the allow-list, as of the settled block. */
  readonly allowed: boolean;
  /** Nodes that it owns already, oldest first, 100 at most. */
  readonly ownNodes: readonly string[];
  /** How many nodes it owns. */
  readonly nodeCount: number;
}

const NODES_MOST = 100;

/** One statement. */
export async function joinerOf(
  { sql, head }: Snapshot,
  { campaignId, seq }: Pick<CampaignView, 'campaignId' | 'seq'>,
  account: Address,
): Promise<JoinerView> {
  const [row] = await sql<{ allowed: boolean | null; own_nodes: string[]; nodes: string }[]>`
    select (
      select allowed from ledger.permission
      where campaign_id = ${campaignId} and role = 'distributor' and account = ${account}
        and seq <= ${seq}
      order by seq desc limit 1
    ) as allowed, array(
      select node_id::text from ledger.node
      where owner = ${account} and campaign_id = ${campaignId} and block_number <= ${head.number}
      order by node_id limit ${NODES_MOST}
    ) as own_nodes, (
      select count(*) from ledger.node
      where owner = ${account} and campaign_id = ${campaignId} and block_number <= ${head.number}
    ) as nodes`;
  return {
    allowed: row?.allowed ?? false,
    ownNodes: row?.own_nodes ?? [],
    nodeCount: toInteger(row?.nodes ?? '0'),
  };
}
