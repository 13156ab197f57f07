import type { Campaign, Policy } from '../../core/campaign.ts';
import type { Address, Fact, Hex, TrustMode } from '../../core/events.ts';
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
import type { Sql } from '../connection.ts';
import { type PolicyRow, policyOfRow } from '../policy-row.ts';
import type { Cursor } from './cursor.ts';
import { type StandingRow, standingOf } from './standing-columns.ts';

/**
 * Loads what a batch of a campaign's facts needs: the campaign, its policies, and every node, sale
 * and account that the facts name, set-wise: six statements however long the batch is, sent together.
 */
export async function loadState(
  sql: Sql,
  cursor: Cursor,
  facts: readonly Fact[],
): Promise<CampaignState> {
  const { campaignId } = cursor;
  const empty = { ...emptyCampaign(campaignId), clock: cursor.clock };
  if (cursor.seq === 0) return empty;
  const named = namedBy(facts);
  const [head, policies, nodes, sales, levels, accounts] = await Promise.all([
    loadCampaign(sql, campaignId),
    loadPolicies(sql, campaignId),
    loadNodes(sql, campaignId, named),
    loadSales(sql, campaignId, named),
    loadLevels(sql, campaignId, named),
    loadAccounts(sql, campaignId, named),
  ]);
  return {
    ...empty,
    seq: cursor.seq,
    campaign: head.campaign,
    standing: head.standing,
    policies,
    nodes,
    sales: new Map(
      sales.map((sale) => [sale.saleId, { ...sale, levels: levels.get(sale.saleId) ?? [] }]),
    ),
    accounts,
  };
}

interface Named {
  readonly nodes: readonly string[];
  readonly sales: readonly string[];
  readonly accounts: readonly Address[];
}

function namedBy(facts: readonly Fact[]): Named {
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
  return { nodes: [...nodes], sales: [...sales], accounts: [...accounts] };
}

interface CampaignRow extends StandingRow {
  merchant: Address;
  token: Address;
  token_decimals: number;
  token_symbol: string;
  token_name: string;
  sku_hash: Hex;
  metadata_hash: Hex;
  starts_at: string;
  ends_at: string;
  trust_mode: TrustMode;
  invite_only: boolean;
}

/** @throws where the cursor has events and the campaign has no row: the ledger is damaged. */
export async function loadCampaign(
  sql: Sql,
  campaignId: string,
): Promise<{ campaign: Campaign; standing: CampaignState['standing'] }> {
  const [row] = await sql<CampaignRow[]>`
    select * from ledger.campaign where campaign_id = ${campaignId}`;
  if (row === undefined) throw new Error(`ledger.campaign has no row of campaign ${campaignId}`);
  const campaign: Campaign = {
    campaignId,
    merchant: row.merchant,
    token: row.token,
    tokenDecimals: row.token_decimals,
    tokenSymbol: row.token_symbol,
    tokenName: row.token_name,
    skuHash: row.sku_hash,
    metadataHash: row.metadata_hash,
    startsAt: Number(row.starts_at),
    endsAt: Number(row.ends_at),
    trustMode: row.trust_mode,
    inviteOnly: row.invite_only,
  };
  return { campaign, standing: standingOf(row) };
}

/** The time of the block of a campaign's event `seq`, unix seconds. @throws where there is none. */
export async function eventTime(sql: Sql, campaignId: string, seq: number): Promise<number> {
  const [row] = await sql<{ block_timestamp: string }[]>`
    select block_timestamp from ledger.journal
    where campaign_id = ${campaignId} and seq = ${seq}`;
  if (row === undefined) throw new Error(`campaign ${campaignId} has no event ${seq}`);
  return Number(row.block_timestamp);
}

/** All versions of a campaign's policy, in their order. */
export async function loadPolicies(sql: Sql, campaignId: string): Promise<Policy[]> {
  const rows = await sql<PolicyRow[]>`
    select * from ledger.policy where campaign_id = ${campaignId} order by version`;
  return rows.map(policyOfRow);
}

/**
 * `path` of a `with recursive`: the named nodes and their ancestors, as deep as a policy can reward.
 * Ancestors that paths share are walked once for each distance, not once for each path.
 */
function pathTable(sql: Sql, campaignId: string, { nodes }: Named) {
  return sql`
    path as (
      select node_id, parent_node_id, owner, depth, 1 as step from ledger.node
      where campaign_id = ${campaignId} and node_id = any(${nodes}::bigint[])
      union
      select parent.*, path.step + 1 from path
      -- Fenced: planned in a ledger that is new, a join would read all nodes of the campaign for good.
      cross join lateral (
        select node_id, parent_node_id, owner, depth from ledger.node
        where campaign_id = ${campaignId} and node_id = path.parent_node_id
        offset 0
      ) parent
      where path.step < ${MOST_LEVELS}
    )`;
}

async function loadNodes(sql: Sql, campaignId: string, named: Named): Promise<Map<string, Node>> {
  if (named.nodes.length === 0) return new Map();
  const rows = await sql<
    { node_id: string; parent_node_id: string | null; owner: Address; depth: number }[]
  >`
    with recursive ${pathTable(sql, campaignId, named)}
    select distinct node_id, parent_node_id, owner, depth from path`;
  return new Map(
    rows.map((row) => [
      row.node_id,
      {
        nodeId: row.node_id,
        parentNodeId: row.parent_node_id,
        owner: row.owner,
        depth: row.depth,
      },
    ]),
  );
}

interface SaleRow {
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

/** Sales above a campaign's newest are not there: a batch of new sales is not looked up one by one. */
function isNamed(sql: Sql, campaignId: string, { sales }: Named) {
  return sql`
    campaign_id = ${campaignId} and sale_id = any(${sales}::bigint[])
    and sale_id <= (select max(sale_id) from ledger.sale where campaign_id = ${campaignId})`;
}

async function loadSales(
  sql: Sql,
  campaignId: string,
  named: Named,
): Promise<Omit<Sale, 'levels'>[]> {
  if (named.sales.length === 0) return [];
  const rows = await sql<SaleRow[]>`
    select * from ledger.sale where ${isNamed(sql, campaignId, named)}`;
  return rows.map((row) => ({
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

async function loadLevels(
  sql: Sql,
  campaignId: string,
  named: Named,
): Promise<Map<string, SaleLevel[]>> {
  const bySale = new Map<string, SaleLevel[]>();
  if (named.sales.length === 0) return bySale;
  const rows = await sql<LevelRow[]>`
    select * from ledger.sale_level where ${isNamed(sql, campaignId, named)}
    order by sale_id, level`;
  for (const row of rows) {
    const levels = bySale.get(row.sale_id) ?? [];
    levels.push({
      level: row.level,
      nodeId: row.node_id,
      recipient: row.recipient,
      share: BigInt(row.share),
      reserved: BigInt(row.reserved),
      released: BigInt(row.released),
      vested: BigInt(row.vested),
      reversed: BigInt(row.reversed),
      vestedSeq: row.vested_seq === null ? null : Number(row.vested_seq),
    });
    bySale.set(row.sale_id, levels);
  }
  return bySale;
}

interface BucketRow {
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
  campaignId: string,
  named: Named,
): Promise<Map<Address, Account>> {
  const rows = await sql<BucketRow[]>`
    with recursive ${pathTable(sql, campaignId, named)}
    select * from ledger.bucket where campaign_id = ${campaignId} and account = any(array(
      select unnest(${named.accounts}::text[])
      union select owner from path
      union select recipient from ledger.sale_level where ${isNamed(sql, campaignId, named)}
    ))`;
  return new Map(
    rows.map((row) => [
      row.account,
      {
        reserved: BigInt(row.at_risk) + BigInt(row.ready_to_finalize),
        ready: BigInt(row.ready_to_finalize),
        claimable: BigInt(row.claimable),
        claimed: BigInt(row.claimed),
        refunded: BigInt(row.refunded),
        reversed: BigInt(row.reversed),
        lastClaimSeq: row.last_claim_seq === null ? null : Number(row.last_claim_seq),
      },
    ]),
  );
}
