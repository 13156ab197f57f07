import type { Address } from '../../core/events.ts';
import type { Sql } from '../connection.ts';
import type { SaleView } from './sale-rows.ts';

/** Who attested a sale; `undefined` for one that was paid on the chain. */
export async function attesterOf(
  sql: Sql,
  { campaignId, saleId }: Pick<SaleView, 'campaignId' | 'saleId'>,
): Promise<Address | undefined> {
  const [row] = await sql<{ signer: Address }[]>`
    select signer from ledger.attestation
    where campaign_id = ${campaignId} and sale_id = ${saleId}`;
  return row?.signer;
}
