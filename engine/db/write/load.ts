import type { Address, Fact, Hex } from '../../core/events.ts';
import {
  type Account,
  type CampaignState,
  emptyCampaign,
  MOST_LEVELS,
  type Node,
  type Sale,
  type SaleLevel,
  type SaleState,
} from '../../core/fold/index.ts';
import type { Fragment, Sql } from '../connection.ts';
import type { Cursor } from './cursor.ts';
import { byCampaign, grouped } from './grouped.ts';
import { type Keys, keysTable } from './keys.ts';
import { loadCampaigns, loadPolicies, requireCampaign } from './load-campaigns.ts';
import { creditsOf, loadCredits } from './load-credits.ts';

/** A campaign's part of a batch: where it stands, and the facts that come next. */
export interface CampaignPart {
  readonly cursor: Cursor;
  readonly facts: readonly Fact[];
}

/**
 * Loads what a batch needs of its campaigns: each campaign, its policies, and every node, sale and
 * account that its facts name, set-wise: six statements, and two if credits are named, however long the batch is and however many
 * campaigns it has, sent together.
 * @returns the campaigns in the order of the parts.
 */
export async function loadStates(
  sql: Sql,
  parts: readonly CampaignPart[],
): Promise<readonly CampaignState[]> {
  const known = parts.filter(({ cursor }) => cursor.seq > 0);
  const ids = known.map(({ cursor }) => cursor.campaignId);
  const named = known.map(({ cursor, facts }) => namedBy(cursor.campaignId, facts));
  const [campaigns, policies, nodes, sales, levels, accounts, credits] = await Promise.all([
    loadCampaigns(sql, ids),
    loadPolicies(sql, ids),
    loadNodes(sql, named),
    loadSales(sql, named),
    loadLevels(sql, named),
    loadAccounts(sql, named),
    loadCredits(sql, known),
  ]);
  return parts.map(({ cursor }) => {
    const { campaignId, seq, clock } = cursor;
    const empty = { ...emptyCampaign(campaignId), clock };
    if (seq === 0) return empty;
    const { campaign, standing } = requireCampaign(campaigns, campaignId);
    const ofSale = grouped(
      levels.get(campaignId) ?? [],
      ({ saleId }) => saleId,
      ({ level }) => level,
    );
    return {
      ...empty,
      seq,
      campaign,
      standing,
      policies: policies.get(campaignId) ?? [],
      nodes: new Map((nodes.get(campaignId) ?? []).map((node) => [node.nodeId, node])),
      sales: new Map(
        (sales.get(campaignId) ?? []).map((sale) => [
          sale.saleId,
          { ...sale, levels: ofSale.get(sale.saleId) ?? [] },
        ]),
      ),
      accounts: new Map(
        (accounts.get(campaignId) ?? []).map(({ account, balances }) => [account, balances]),
      ),
      ...creditsOf(credits, campaignId, campaign),
    };
  });
}

function namedBy(campaignId: string, facts: readonly Fact[]): Required<Keys> {
  const nodes = new Set<string>();
  const sales = new Set<string>();
  const accounts = new Set<Address>();
  for (const { args } of facts) {
    if ('nodeId' in args) nodes.add(args.nodeId);
    if ('parentNodeId' in args) nodes.add(args.parentNodeId);
    if ('saleId' in args) sales.add(args.saleId);
    if ('recipient' in args) accounts.add(args.recipient);
    if ('account' in args) accounts.add(args.account);
    // A node that joins in this batch may earn in it, on top of what its owner has already.
    if ('owner' in args) accounts.add(args.owner);
  }
  nodes.delete('0');
  return {
    campaign_id: campaignId,
    nodes: [...nodes],
    sales: [...sales],
    accounts: [...accounts],
  };
}

/** What is named of one kind, for a statement that needs no more; none where nothing is named. */
function namedOnly(
  named: readonly Required<Keys>[],
  ...kinds: readonly ('nodes' | 'sales' | 'accounts')[]
): readonly Keys[] {
  return named
    .filter((one) => kinds.some((kind) => one[kind].length > 0))
    .map((one) => ({
      campaign_id: one.campaign_id,
      ...Object.fromEntries(kinds.map((kind) => [kind, one[kind]])),
    }));
}

/**
 * `path` of a `with recursive` that has `named`: the named nodes and their ancestors, as deep as a
 * policy can reward. Ancestors that paths share are walked once for each distance, not once for each
 * path.
 */
function pathTable(sql: Sql): Fragment {
  return sql`
    path as (
      select node.*, 1 as step from named
      cross join lateral (
        select campaign_id, node_id, parent_node_id, owner, depth from ledger.node
        where campaign_id = named.campaign_id and node_id = any(named.nodes)
        offset 0
      ) node
      union
      select parent.*, path.step + 1 from path
      cross join lateral (
        select campaign_id, node_id, parent_node_id, owner, depth from ledger.node
        where campaign_id = path.campaign_id and node_id = path.parent_node_id
        offset 0
      ) parent
      where path.step < ${MOST_LEVELS}
    )`;
}

interface NodeRow {
  campaign_id: string;
  node_id: string;
  parent_node_id: string | null;
  owner: Address;
  depth: number;
}

async function loadNodes(
  sql: Sql,
  all: readonly Required<Keys>[],
): Promise<ReadonlyMap<string, readonly Node[]>> {
  const named = namedOnly(all, 'nodes');
  if (named.length === 0) return new Map();
  const rows = await sql<NodeRow[]>`
    with recursive named as materialized (select * from ${keysTable(sql, named)}), ${pathTable(sql)}
    select distinct campaign_id, node_id, parent_node_id, owner, depth from path`;
  return byCampaign(rows, (row) => ({
    nodeId: row.node_id,
    parentNodeId: row.parent_node_id,
    owner: row.owner,
    depth: row.depth,
  }));
}

/**
 * Rows by the named sales, laterally. Sales above a campaign's newest are not there: a batch of new
 * sales is not looked up one by one.
 */
function ofNamedSales(sql: Sql, table: 'sale' | 'sale_level'): Fragment {
  return sql`
    lateral (
      select max(sale_id) as sale_id from ledger.sale where campaign_id = named.campaign_id offset 0
    ) newest
    cross join lateral (
      select * from ${sql(`ledger.${table}`)}
      where campaign_id = named.campaign_id and sale_id = any(named.sales)
        and sale_id <= newest.sale_id
      offset 0
    ) of_sale`;
}

interface SaleRow {
  campaign_id: string;
  sale_id: string;
  buyer: Address;
  node_id: string | null;
  amount: string;
  pool: string;
  policy_version: number;
  hold_until: string;
  order_key: Hex;
  sku_hash: Hex;
  state: SaleState;
  refunded_total: string;
  finalized_at: string | null;
}

async function loadSales(
  sql: Sql,
  all: readonly Required<Keys>[],
): Promise<ReadonlyMap<string, readonly Omit<Sale, 'levels'>[]>> {
  const named = namedOnly(all, 'sales');
  if (named.length === 0) return new Map();
  const rows = await sql<SaleRow[]>`
    select of_sale.* from ${keysTable(sql, named)} cross join ${ofNamedSales(sql, 'sale')}`;
  return byCampaign(rows, (row) => ({
    saleId: row.sale_id,
    buyer: row.buyer,
    nodeId: row.node_id,
    amount: BigInt(row.amount),
    pool: BigInt(row.pool),
    policyVersion: row.policy_version,
    holdUntil: Number(row.hold_until),
    orderKey: row.order_key,
    skuHash: row.sku_hash,
    state: row.state,
    refundedTotal: BigInt(row.refunded_total),
    finalizedAt: row.finalized_at === null ? null : Number(row.finalized_at),
  }));
}

interface LevelRow {
  campaign_id: string;
  sale_id: string;
  level: number;
  node_id: string;
  recipient: Address;
  share: string;
  reserved: string;
  released: string;
  vested: string;
  reversed: string;
  vested_seq: string | null;
}

/** The levels of the named sales, nearest first. */
async function loadLevels(
  sql: Sql,
  all: readonly Required<Keys>[],
): Promise<ReadonlyMap<string, readonly { readonly saleId: string; readonly level: SaleLevel }[]>> {
  const named = namedOnly(all, 'sales');
  if (named.length === 0) return new Map();
  const rows = await sql<LevelRow[]>`
    select of_sale.* from ${keysTable(sql, named)} cross join ${ofNamedSales(sql, 'sale_level')}
    order by campaign_id, sale_id, level`;
  return byCampaign(rows, (row) => ({
    saleId: row.sale_id,
    level: {
      level: row.level,
      nodeId: row.node_id,
      recipient: row.recipient,
      share: BigInt(row.share),
      reserved: BigInt(row.reserved),
      released: BigInt(row.released),
      vested: BigInt(row.vested),
      reversed: BigInt(row.reversed),
      vestedSeq: row.vested_seq === null ? null : Number(row.vested_seq),
    },
  }));
}

interface BucketRow {
  campaign_id: string;
  account: Address;
  at_risk: string;
  ready_to_finalize: string;
  claimable: string;
  claimed: string;
  refunded: string;
  reversed: string;
  last_claim_seq: string | null;
}

/** The accounts that are named, own a named node or an ancestor of one, or earn by a named sale. */
async function loadAccounts(
  sql: Sql,
  all: readonly Required<Keys>[],
): Promise<
  ReadonlyMap<string, readonly { readonly account: Address; readonly balances: Account }[]>
> {
  const named = namedOnly(all, 'nodes', 'sales', 'accounts');
  if (named.length === 0) return new Map();
  const rows = await sql<BucketRow[]>`
    with recursive named as materialized (select * from ${keysTable(sql, named)}), ${pathTable(sql)},
    wanted as materialized (
      select campaign_id, array_agg(account) as accounts from (
        select named.campaign_id, unnest(named.accounts) as account from named
        union select campaign_id, owner from path
        union select of_sale.campaign_id, of_sale.recipient
        from named cross join ${ofNamedSales(sql, 'sale_level')}
      ) each
      group by campaign_id
    )
    select bucket.* from wanted cross join lateral (
      select * from ledger.bucket
      where campaign_id = wanted.campaign_id and account = any(wanted.accounts)
      offset 0
    ) bucket`;
  return byCampaign(rows, (row) => ({
    account: row.account,
    balances: {
      reserved: BigInt(row.at_risk) + BigInt(row.ready_to_finalize),
      ready: BigInt(row.ready_to_finalize),
      claimable: BigInt(row.claimable),
      claimed: BigInt(row.claimed),
      refunded: BigInt(row.refunded),
      reversed: BigInt(row.reversed),
      lastClaimSeq: row.last_claim_seq === null ? null : Number(row.last_claim_seq),
    },
  }));
}
