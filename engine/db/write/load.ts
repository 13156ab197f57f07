import type { Address, Fact } from '../../core/events.ts';
import {
  type Account,
  emptyCampaign,
  type FoldState,
  MAX_LEVELS,
  type Node,
  type Sale,
} from '../../core/fold/index.ts';
import type { Fragment, Sql } from '../connection.ts';
import { groupBy, groupByCampaign } from '../group-by.ts';
import { fence } from '../planner.ts';
import { id, rowCodec, type StoredRow, type View } from '../row.ts';
import { bucketRow, nodeRow } from '../rows/account.ts';
import { levelRow, saleRow } from '../rows/sale.ts';
import type { Cursor } from './cursor.ts';
import { eachSale, type Keys, keysTable } from './keys.ts';
import { attestersOf, loadAttesters } from './load-attesters.ts';
import { loadCampaigns, loadPolicies, requireCampaign } from './load-campaigns.ts';
import { creditsOf, loadCredits } from './load-credits.ts';

/** A campaign's part of a batch: its cursor, and the facts that come next. */
export interface CampaignPart {
  readonly cursor: Cursor;
  readonly facts: readonly Fact[];
}

/**
 * Loads what a batch needs of its campaigns: each campaign, its policies, and every node, sale and
 * account that its facts name. Six statements, two more if credits are named, one or two if sales are attested, however long the batch is and
 * however many campaigns it has; they are sent together.
 * @returns the campaigns in the order of the parts.
 */
export async function loadStates(
  sql: Sql,
  parts: readonly CampaignPart[],
): Promise<readonly FoldState[]> {
  const known = parts.filter(({ cursor }) => cursor.seq > 0);
  const ids = known.map(({ cursor }) => cursor.campaignId);
  const named = known.map(({ cursor, facts }) => namedBy(cursor.campaignId, facts));
  const [campaigns, policies, nodes, sales, levels, accounts, credits, attesters] =
    await Promise.all([
      loadCampaigns(sql, ids),
      loadPolicies(sql, ids),
      loadNodes(sql, named),
      loadSales(sql, named),
      loadLevels(sql, named),
      loadAccounts(sql, named),
      loadCredits(sql, known),
      loadAttesters(sql, known),
    ]);
  return parts.map(({ cursor }) => {
    const { campaignId, seq, clock } = cursor;
    const empty = { ...emptyCampaign(campaignId), clock };
    if (seq === 0) return empty;
    const { campaign, snapshot } = requireCampaign(campaigns, campaignId);
    const levelsBySale = groupBy(
      levels.get(campaignId) ?? [],
      ({ saleId }) => saleId,
      ({ level }) => level,
    );
    return {
      ...empty,
      seq,
      campaign,
      snapshot,
      policies: policies.get(campaignId) ?? [],
      nodes: new Map((nodes.get(campaignId) ?? []).map((node) => [node.nodeId, node])),
      sales: new Map(
        (sales.get(campaignId) ?? []).map((sale) => [
          sale.saleId,
          { ...sale, levels: levelsBySale.get(sale.saleId) ?? [] },
        ]),
      ),
      accounts: new Map(
        (accounts.get(campaignId) ?? []).map(({ account, balances }) => [account, balances]),
      ),
      ...creditsOf(credits, campaignId, campaign),
      ...attestersOf(attesters, campaignId),
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

/** The keys of these kinds alone, for a statement that needs no others; campaigns without one are left out. */
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
 * `path` for a `with recursive` after `named`: the named nodes and their ancestors, as deep as a policy can
 * reward. An ancestor that several paths share is read once for each distance, not once for each path.
 */
function pathTable(sql: Sql): Fragment {
  return sql`
    path as (
      select node.*, 1 as step from named
      cross join lateral (
        select campaign_id, node_id, parent_node_id, owner, depth from ledger.node
        where campaign_id = named.campaign_id and node_id = any(named.nodes)
        ${fence(sql)}
      ) node
      union
      select parent.*, path.step + 1 from path
      cross join lateral (
        select campaign_id, node_id, parent_node_id, owner, depth from ledger.node
        where campaign_id = path.campaign_id and node_id = path.parent_node_id
        ${fence(sql)}
      ) parent
      where path.step < ${MAX_LEVELS}
    )`;
}

async function loadNodes(
  sql: Sql,
  all: readonly Required<Keys>[],
): Promise<ReadonlyMap<string, readonly Node[]>> {
  const named = namedOnly(all, 'nodes');
  if (named.length === 0) return new Map();
  const rows = await sql<StoredRow[]>`
    with recursive named as materialized (select * from ${keysTable(sql, named)}), ${pathTable(sql)}
    select distinct campaign_id, node_id, parent_node_id, owner, depth from path`;
  return groupByCampaign(rows, nodeRow.decode);
}

/**
 * Rows of the named sales, to join laterally. A sale above the campaign's newest does not exist: a batch of
 * new sales costs no index probe for each of them.
 */
function ofNamedSales(sql: Sql, table: 'sale' | 'sale_level'): Fragment {
  return sql`
    lateral (
      select max(sale_id) as sale_id from ledger.sale where campaign_id = named.campaign_id
      ${fence(sql)}
    ) newest
    cross join lateral (
      select sale_id from ${eachSale(sql)} where sold.sale_id <= newest.sale_id
    ) sold
    cross join lateral (
      select * from ${sql(`ledger.${table}`)}
      where campaign_id = named.campaign_id and sale_id = sold.sale_id
      ${fence(sql)}
    ) of_sale`;
}

async function loadSales(
  sql: Sql,
  all: readonly Required<Keys>[],
): Promise<ReadonlyMap<string, readonly Omit<Sale, 'levels'>[]>> {
  const named = namedOnly(all, 'sales');
  if (named.length === 0) return new Map();
  const rows = await sql<StoredRow[]>`
    select of_sale.* from ${keysTable(sql, named)} cross join ${ofNamedSales(sql, 'sale')}`;
  return groupByCampaign(rows, saleRow.decode);
}

const levelOfSale = rowCodec({ saleId: id, level: levelRow.fields });

/** Reads the levels of the named sales, nearest first. */
async function loadLevels(
  sql: Sql,
  all: readonly Required<Keys>[],
): Promise<ReadonlyMap<string, readonly View<typeof levelOfSale>[]>> {
  const named = namedOnly(all, 'sales');
  if (named.length === 0) return new Map();
  const rows = await sql<StoredRow[]>`
    select of_sale.* from ${keysTable(sql, named)} cross join ${ofNamedSales(sql, 'sale_level')}
    order by campaign_id, sale_id, level`;
  return groupByCampaign(rows, levelOfSale.decode);
}

/** Reads the accounts that are named, own a named node or an ancestor of one, or earn by a named sale. */
async function loadAccounts(
  sql: Sql,
  all: readonly Required<Keys>[],
): Promise<
  ReadonlyMap<string, readonly { readonly account: Address; readonly balances: Account }[]>
> {
  const named = namedOnly(all, 'nodes', 'sales', 'accounts');
  if (named.length === 0) return new Map();
  const rows = await sql<StoredRow[]>`
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
      ${fence(sql)}
    ) bucket`;
  return groupByCampaign(rows, (row) => {
    const { account, atRisk, readyToFinalize: ready, ...others } = bucketRow.decode(row);
    return { account, balances: { ...others, reserved: atRisk + ready, ready } };
  });
}
