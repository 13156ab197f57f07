import type { Address } from '../../../core/events.ts';
import { as, flag, integer, rowCodec, type StoredRow, type View } from '../../row.ts';
import type { Snapshot } from '../snapshot.ts';
import type { CampaignView } from './rows.ts';

const joinerView = rowCodec({
  /** True if it is on the allow-list, as of the settled block. */
  allowed: flag,
  /** Ids of the nodes that it owns already, oldest first, 100 at most. */
  ownNodes: as<readonly string[]>(),
  /** Number of nodes that it owns. */
  nodeCount: integer,
});

/** Rights and nodes of an account in a campaign. */
export type JoinerView = View<typeof joinerView>;

/** Maximum number of own nodes of `JoinerView`. */
const MAX_NODES = 100;

/** Rights and nodes of an account in a campaign: one statement. */
export async function joinerOf(
  { sql, head }: Snapshot,
  { campaignId, seq }: Pick<CampaignView, 'campaignId' | 'seq'>,
  account: Address,
): Promise<JoinerView> {
  const [row] = await sql<StoredRow[]>`
    select coalesce((
      select allowed from ledger.permission
      where campaign_id = ${campaignId} and role = 'distributor' and account = ${account}
        and seq <= ${seq}
      order by seq desc limit 1
    ), false) as allowed, array(
      select node_id::text from ledger.node
      where owner = ${account} and campaign_id = ${campaignId} and block_number <= ${head.number}
      order by node_id limit ${MAX_NODES}
    ) as own_nodes, (
      select count(*) from ledger.node
      where owner = ${account} and campaign_id = ${campaignId} and block_number <= ${head.number}
    ) as node_count`;
  if (row === undefined) throw new Error('A select without a table returned no row.');
  return joinerView.decode(row);
}
