import type { Address } from '../../core/events.ts';
import type { Pool, Sql } from '../connection.ts';
import type { StoredRow } from '../row.ts';
import { detailsRow, type StoredDetails } from '../rows/buyer-details.ts';

/** Orders with details that a buyer may begin in 24 hours. */
export const MAX_DETAILS_PER_DAY = 200;

/**
 * Stores the details of an intent in place of earlier ones.
 * @returns `full` if the buyer has given as many as allowed in 24 hours, `cancelled` if the buyer gave the intent up:
 * then nothing changed.
 */
export async function storeDetails(
  pool: Pool,
  details: Omit<StoredDetails, 'givenAt' | 'updatedAt'>,
  at: Date,
): Promise<'stored' | 'full' | 'cancelled'> {
  const { intentId, buyer, merchant, sealed, sealedBy, kinds } = details;
  const now = at.toISOString();
  return await pool.begin(async (sql) => {
    const [intent] = await sql`
      select 1 from commerce.checkout_intent
      where id = ${intentId} and cancelled_at is null for update`;
    if (intent === undefined) return 'cancelled';
    const [others] = await sql<{ full: boolean }[]>`
      select count(*) >= ${MAX_DETAILS_PER_DAY} as full from commerce.buyer_details
      where buyer = ${buyer} and given_at > ${now}::timestamptz - interval '1 day'
        and intent_id <> ${intentId}`;
    if (others?.full) return 'full';
    await sql`
      insert into commerce.buyer_details
        (intent_id, buyer, merchant, sealed, sealed_by, kinds, given_at, updated_at)
      values (${intentId}, ${buyer}, ${merchant}, ${Buffer.from(sealed)}, ${sealedBy},
        ${[...kinds]}::text[], ${now}::timestamptz, ${now}::timestamptz)
      on conflict (intent_id) do update set sealed = excluded.sealed, sealed_by = excluded.sealed_by, kinds = excluded.kinds,
        updated_at = excluded.updated_at`;
    return 'stored';
  });
}

/** Details of an intent; `undefined` if none were given. */
export async function findDetails(sql: Sql, intentId: string): Promise<StoredDetails | undefined> {
  const [row] = await sql<StoredRow[]>`
    select * from commerce.buyer_details where intent_id = ${intentId}`;
  return row && detailsRow.decode(row);
}

/** Deletes the details of an intent, in the transaction that gives it up. */
export async function deleteDetails(sql: Sql, intentId: string): Promise<void> {
  await sql`delete from commerce.buyer_details where intent_id = ${intentId}`;
}

/** Position in the details that another key encrypted. */
export type SealedCursor = Pick<StoredDetails, 'sealedBy' | 'intentId'>;

/** Details that another key than `current` encrypted, after a position. */
export async function sealedByOthers(
  sql: Sql,
  current: string,
  after: SealedCursor,
  limit: number,
): Promise<StoredDetails[]> {
  const beyond = sql`(sealed_by, intent_id) > (${after.sealedBy}, ${after.intentId})`;
  const rows = await sql<StoredRow[]>`
    select * from (
      (select * from commerce.buyer_details where ${beyond} and sealed_by < ${current}
        order by sealed_by, intent_id limit ${limit})
      union all
      (select * from commerce.buyer_details where ${beyond} and sealed_by > ${current}
        order by sealed_by, intent_id limit ${limit})
    ) others
    order by sealed_by, intent_id limit ${limit}`;
  return rows.map(detailsRow.decode);
}

/** Stores the same details under a newer key, unless they were changed meanwhile. */
export async function replaceSealed(
  sql: Sql,
  { intentId, sealed }: Pick<StoredDetails, 'intentId' | 'sealed'>,
  resealed: Pick<StoredDetails, 'sealed' | 'sealedBy'>,
): Promise<void> {
  await sql`
    update commerce.buyer_details
    set sealed = ${Buffer.from(resealed.sealed)}, sealed_by = ${resealed.sealedBy}
    where intent_id = ${intentId} and sealed = ${Buffer.from(sealed)}`;
}

/** Merchant of a campaign with those terms: whom the details of an order are for; `undefined` after a reorg. */
export async function merchantOfTerms(
  sql: Sql,
  { campaignId, termsHash }: { readonly campaignId: string; readonly termsHash: string },
): Promise<Address | undefined> {
  const [row] = await sql<{ merchant: Address }[]>`
    select merchant from ledger.campaign
    where campaign_id = ${campaignId} and terms_hash = ${termsHash}`;
  return row?.merchant;
}
