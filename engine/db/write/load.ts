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
 * and account that the facts name, set-wise: seven statements however long the batch is.
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
  const [head, policies, nodes, sales, levels] = await Promise.all([
    loadCampaign(sql, campaignId),
    loadPolicies(sql, campaignId),
    loadNodes(sql, campaignId, named.nodes),
    loadSales(sql, campaignId, named.sales),
    loadLevels(sql, campaignId, named.sales),
  ]);
  const accounts = new Set(named.accounts);
  for (const node of nodes.values()) accounts.add(node.owner);
  for (const list of levels.values()) for (const level of list) accounts.add(level.recipient);
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
    accounts: await loadAccounts(sql, campaignId, [...accounts]),
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
 * The named nodes and their ancestors, as deep as a policy can reward. Ancestors that paths share are
 * walked once for each distance, not once for each path.
 */
async function loadNodes(
  sql: Sql,
  campaignId: string,
  ids: readonly string[],
): Promise<Map<string, Node>> {
  if (ids.length === 0) return new Map();
  const rows = await sql<
    { node_id: string; parent_node_id: string | null; owner: Address; depth: number }[]
  >`
    with recursive path as (
      select n.node_id, n.parent_node_id, n.owner, n.depth, 1 as step
      from unnest(${ids}::text[]) as wanted (id)
      join ledger.node n on n.campaign_id = ${campaignId} and n.node_id = wanted.id::bigint
      union
      select n.node_id, n.parent_node_id, n.owner, n.depth, path.step + 1
      from path
      join ledger.node n on n.campaign_id = ${campaignId} and n.node_id = path.parent_node_id
      where path.step < ${MOST_LEVELS}
    )
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
function wantedSales(sql: Sql, campaignId: string, ids: readonly string[]) {
  return sql`
    select id from unnest(${ids}::bigint[]) as named (id)
    where id <= (select max(sale_id) from ledger.sale where campaign_id = ${campaignId})`;
}

async function loadSales(
  sql: Sql,
  campaignId: string,
  ids: readonly string[],
): Promise<Omit<Sale, 'levels'>[]> {
  if (ids.length === 0) return [];
  const rows = await sql<SaleRow[]>`
    select s.* from (${wantedSales(sql, campaignId, ids)}) wanted
    join ledger.sale s on s.campaign_id = ${campaignId} and s.sale_id = wanted.id`;
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
  saleIds: readonly string[],
): Promise<Map<string, SaleLevel[]>> {
  const bySale = new Map<string, SaleLevel[]>();
  if (saleIds.length === 0) return bySale;
  const rows = await sql<LevelRow[]>`
    select l.* from (${wantedSales(sql, campaignId, saleIds)}) wanted
    join ledger.sale_level l on l.campaign_id = ${campaignId} and l.sale_id = wanted.id
    order by l.sale_id, l.level`;
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

async function loadAccounts(
  sql: Sql,
  campaignId: string,
  accounts: readonly Address[],
): Promise<Map<Address, Account>> {
  if (accounts.length === 0) return new Map();
  const rows = await sql<BucketRow[]>`
    select b.* from unnest(${accounts}::text[]) as wanted (account)
    join ledger.bucket b on b.campaign_id = ${campaignId} and b.account = wanted.account`;
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
