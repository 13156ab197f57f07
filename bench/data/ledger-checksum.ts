import { openKeccak } from '../../engine/chain/keccak.ts';
import { digestRoot } from '../../engine/core/merkle.ts';
import type { Pool } from '../../engine/db/connection.ts';
import { digestsAt } from '../../engine/db/read/system/digests.ts';
import { checksumOf } from '../harness/measure.ts';

/**
 * Checksum of a whole ledger: the digest's root, which covers every event and movement, and sums of the
 * rows that no digest covers.
 * @throws where settlement found a discrepancy: the history is valid, so the fold was wrong.
 */
export async function ledgerChecksum(pool: Pool): Promise<string> {
  const root = digestRoot(await openKeccak(), await digestsAt(pool, Number.MAX_SAFE_INTEGER));
  const [sums] = await pool<{ sums: string; discrepancies: string }[]>`
    select (
      select concat_ws(' ', sum(at_risk + ready_to_finalize), sum(claimable), count(*))
      from ledger.bucket
    ) || ' ' || (
      select concat_ws(' ', sum(available), sum(pending_reserved), sum(vested_unclaimed),
        sum(pending_count), sum(finalized_count))
      from ledger.campaign
    ) || ' ' || (
      select concat_ws(' ', sum(amount), count(*)) from (
        select amount from ledger.entry
        union all select share from ledger.sale_level where share <> 0
      ) movement
    )
    || ' ' || (select concat_ws(' ', sum(amount), sum(changed_seq), count(*)) from ledger.sale)
    || ' ' || (select concat_ws(' ', sum(reserved), sum(vested), count(*)) from ledger.sale_level)
    || ' ' || (select count(*) from ledger.sale_version) as sums,
    (select count(*) from ledger.discrepancy) as discrepancies`;
  if (sums?.discrepancies !== '0') throw new Error(`${sums?.discrepancies} discrepancies`);
  return checksumOf(`${root} ${sums.sums}`);
}
