import type { FoldState } from '../../core/fold/index.ts';
import type { Fragment, Sql } from '../connection.ts';
import { fence } from '../planner.ts';
import { type Folded, joinedNode } from './rows.ts';
import { accumulateSql, unnestSql } from './statements.ts';

/**
 * Totals of accounts over all campaigns of a merchant (`ledger.merchant_partner`). Their rows belong to several
 * campaigns, so that the lock of a campaign does not protect them: each statement locks its rows in the order
 * of the key, and a batch has one such statement, as late as possible, so that batches of a merchant's other
 * campaigns wait for each other briefly and never in a circle. A transaction that also rolls back has two; if
 * such transactions wait in a circle, PostgreSQL ends one, which is retried.
 */

/** The events of one campaign in a batch, and the campaign after them. */
interface FoldedEvents {
  readonly state: FoldState;
  readonly folded: readonly Folded[];
}

/** Changes by a batch of an account's totals with a merchant. */
interface PartnerDelta {
  readonly merchant: string;
  readonly account: string;
  links: number;
  settled: number;
  /** Unix seconds when its first node of the batch joined; `null` if none did. */
  first_link_at: number | null;
}

const COLUMNS = {
  merchant: 'text',
  account: 'bytea',
  links: 'bigint',
  settled: 'bigint',
  first_link_at: 'bigint',
} as const;

/** The statement that adds the nodes that joined in a batch and the sales that it finalized or reversed, if any. */
export function addToPartners(sql: Sql, parts: readonly FoldedEvents[]): Fragment | undefined {
  const deltas = partnerDeltas(parts);
  if (deltas.length === 0) return undefined;
  return sql`
    insert into ledger.merchant_partner as totals
    select merchant, account, links, settled, first_link_at
    from ${unnestSql(sql, 'delta', COLUMNS, deltas)}
    order by merchant, account
    on conflict (merchant, account) do update set ${accumulateSql(sql, ['links', 'settled'])},
      first_link_at = least(totals.first_link_at, excluded.first_link_at)`;
}

/** The changes of a batch by merchant and account, computed from its events and not from its rows. */
function partnerDeltas(parts: readonly FoldedEvents[]): readonly PartnerDelta[] {
  const deltas = new Map<string, PartnerDelta>();
  for (const { state, folded } of parts) {
    const merchant = state.campaign?.merchant;
    if (merchant === undefined) continue;
    for (const one of folded) {
      const node = joinedNode(state, one);
      if (node !== undefined) {
        const delta = deltaOf(deltas, merchant, node.owner);
        delta.links += 1;
        const { timestamp } = one.fact;
        delta.first_link_at = Math.min(delta.first_link_at ?? timestamp, timestamp);
      }
      const settled = settledBy(one);
      if (settled === 0) continue;
      for (const account of new Set(one.sale?.levels.map(({ recipient }) => recipient))) {
        deltaOf(deltas, merchant, account).settled += settled;
      }
    }
  }
  return [...deltas.values()].filter(({ links, settled }) => links !== 0 || settled !== 0);
}

function deltaOf(
  deltas: Map<string, PartnerDelta>,
  merchant: string,
  account: string,
): PartnerDelta {
  const key = `${merchant} ${account}`;
  const known = deltas.get(key);
  if (known !== undefined) return known;
  const made = { merchant, account, links: 0, settled: 0, first_link_at: null };
  deltas.set(key, made);
  return made;
}

/** Number of sales that an event settles: -1 if it reverses one. An event without effect has no sale. */
function settledBy({ fact, sale }: Folded): -1 | 0 | 1 {
  if (sale === null) return 0;
  if (fact.name === 'SaleFinalized') return 1;
  return fact.name === 'SaleReversed' ? -1 : 0;
}

/**
 * Computes the totals of accounts again from those of the merchant's campaigns.
 *
 * It locks the rows first. A batch of another campaign of the merchant has then either committed, so that the
 * second statement sees its totals, or has not locked the rows yet, so that it adds to the result. (Each
 * statement sees what was committed when it began: the transaction is `read committed`.)
 */
async function restorePartners(
  sql: Sql,
  merchant: string,
  accounts: readonly string[],
): Promise<void> {
  if (accounts.length === 0) return;
  const names = [...new Set(accounts)];
  await sql`
    select from ledger.merchant_partner
    where merchant = ${merchant} and account = any(${names}::bytea[])
    order by merchant, account for update`;
  await sql`
    insert into ledger.merchant_partner
    select ${merchant}, named.account, coalesce(sum(sums.links), 0),
      coalesce(sum(sums.direct_settled + sums.network_settled), 0),
      min(sums.first_link_at) filter (where sums.links > 0)
    from unnest(${names}::bytea[]) named (account)
    left join lateral (
      select totals.* from ledger.campaign
      join ledger.account_sum totals on totals.campaign_id = campaign.campaign_id
        and totals.account = named.account
      where campaign.merchant = ${merchant} ${fence(sql)}
    ) sums on true
    group by named.account order by named.account
    on conflict (merchant, account) do update set
      links = excluded.links, settled = excluded.settled, first_link_at = excluded.first_link_at`;
  await sql`
    delete from ledger.merchant_partner
    where merchant = ${merchant} and account = any(${names}::bytea[]) and links = 0 and settled = 0`;
}

/** Computes the totals of accounts with the merchant of a campaign again, after the campaign was rolled back. */
export async function rollBackPartners(
  sql: Sql,
  campaignId: string,
  accounts: readonly string[],
): Promise<void> {
  const merchant = await merchantOf(sql, campaignId);
  if (merchant !== undefined) await restorePartners(sql, merchant, accounts);
}

/** Merchant of a campaign; `undefined` if the ledger does not have it. */
async function merchantOf(sql: Sql, campaignId: string): Promise<string | undefined> {
  const [row] = await sql<{ merchant: string }[]>`
    select merchant from ledger.campaign where campaign_id = ${campaignId}`;
  return row?.merchant;
}

/** Computes the totals of all accounts with the merchant of a campaign again, whatever they are. */
export async function rebuildPartners(sql: Sql, campaignId: string): Promise<void> {
  const merchant = await merchantOf(sql, campaignId);
  if (merchant === undefined) return;
  const rows = await sql<{ account: string }[]>`
    select account from ledger.merchant_partner where merchant = ${merchant}
    union
    select sums.account from ledger.campaign
    join ledger.account_sum sums on sums.campaign_id = campaign.campaign_id
    where campaign.merchant = ${merchant}`;
  const accounts = rows.map(({ account }) => account);
  await restorePartners(sql, merchant, accounts);
}
