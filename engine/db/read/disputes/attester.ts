import type { Address } from '../../../core/events.ts';
import type { Sql } from '../../connection.ts';
import type { SaleView } from '../sales/rows.ts';

/** The signer of a sale's attestation; `undefined` for a sale that was paid on the chain. */
export async function attesterOf(
  sql: Sql,
  { campaignId, saleId }: Pick<SaleView, 'campaignId' | 'saleId'>,
): Promise<Address | undefined> {
  const [row] = await sql<{ signer: Address }[]>`
    select signer from ledger.attestation
    where campaign_id = ${campaignId} and sale_id = ${saleId}`;
  return row?.signer;
}
