import type { Address, Fact } from '../../core/events.ts';
import { type AttesterState, attestationOf, type FoldState } from '../../core/fold/index.ts';
import type { Sql } from '../connection.ts';
import { groupByCampaign } from '../group-by.ts';
import { fence } from '../planner.ts';
import { address, id, rowCodec, type StoredRow } from '../row.ts';
import { attesterDayRow, attesterLimitsRow } from '../rows/account.ts';
import type { Cursor } from './cursor.ts';
import { unnestSql } from './statements.ts';

/** A campaign's cursor, and the facts that come next. */
interface Part {
  readonly cursor: Cursor;
  readonly facts: readonly Fact[];
}

type Attestation = NonNullable<FoldState['attestation']>;

/** The attesters of the sales of a batch, by campaign. */
export interface LoadedAttesters {
  readonly attesters: ReadonlyMap<string, readonly (readonly [Address, AttesterState])[]>;
  /** The event before the batch, if it attests the sale of its first fact. */
  readonly before: ReadonlyMap<string, readonly Attestation[]>;
}

/**
 * Loads the limits of the accounts that attest sales of a batch, and what each has attested on the day of its
 * newest sale. If no sale of the batch is attested, no statement is sent.
 */
export async function loadAttesters(sql: Sql, parts: readonly Part[]): Promise<LoadedAttesters> {
  const before = await loadAttestationsBefore(sql, parts.flatMap(cutSales));
  const named = parts.flatMap(({ cursor: { campaignId }, facts }) => {
    const attestations = [...(before.get(campaignId) ?? []), ...facts.map(attestationOf)];
    const signers = new Set(attestations.flatMap((one) => (one === null ? [] : [one.signer])));
    return [...signers].map((account) => ({ campaign_id: campaignId, account }));
  });
  return { attesters: await loadStates(sql, named), before };
}

/** The loaded attesters of one campaign, in the shape of its fold state. */
export function attestersOf(
  { attesters, before }: LoadedAttesters,
  campaignId: string,
): Pick<FoldState, 'attesters' | 'attestation'> {
  return {
    attesters: new Map(attesters.get(campaignId) ?? []),
    attestation: before.get(campaignId)?.[0] ?? null,
  };
}

/**
 * The sale that a batch begins with if its transaction may have begun in the batch before, which ended in the same block,
 * with the cursor between them.
 */
function cutSales({ cursor: { campaignId, seq, at }, facts: [first] }: Part) {
  if (first?.name !== 'SaleRecorded' || at?.blockNumber !== first.blockNumber) return [];
  return [{ campaign_id: campaignId, seq, sale_id: first.args.saleId }];
}

const attestationRow = rowCodec({ saleId: id, signer: address, nonce: id });

async function loadAttestationsBefore(
  sql: Sql,
  named: ReturnType<typeof cutSales>,
): Promise<LoadedAttesters['before']> {
  if (named.length === 0) return new Map();
  const columns = { campaign_id: 'bigint', seq: 'bigint', sale_id: 'bigint' } as const;
  const rows = await sql<StoredRow[]>`
    select attestation.* from ${unnestSql(sql, 'named', columns, named)}
    cross join lateral (
      select campaign_id, sale_id, signer, nonce from ledger.attestation
      where campaign_id = named.campaign_id and sale_id = named.sale_id and seq = named.seq
      ${fence(sql)}
    ) attestation`;
  return groupByCampaign(rows, attestationRow.decode);
}

const attesterRow = rowCodec({
  account: address,
  ...attesterLimitsRow.fields,
  ...attesterDayRow.fields,
});

async function loadStates(
  sql: Sql,
  named: readonly { readonly campaign_id: string; readonly account: Address }[],
): Promise<LoadedAttesters['attesters']> {
  if (named.length === 0) return new Map();
  const rows = await sql<StoredRow[]>`
    select named.campaign_id, named.account, permission.per_order, permission.daily,
      permission.expiry, coalesce(sum.day, 0) as day, coalesce(sum.attested, 0) as attested
    from ${unnestSql(sql, 'named', { campaign_id: 'bigint', account: 'text' }, named)}
    cross join lateral (
      select per_order, daily, expiry from ledger.permission
      where campaign_id = named.campaign_id and role = 'attester' and account = named.account
      order by seq desc limit 1
    ) permission
    left join lateral (
      select day, attested from ledger.attester_day
      where campaign_id = named.campaign_id and account = named.account
      order by seq desc limit 1
    ) sum on true`;
  return groupByCampaign(rows, (row) => {
    const { account, ...state } = attesterRow.decode(row);
    return [account, state] as const;
  });
}
