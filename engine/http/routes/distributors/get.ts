import { profileOfAddress } from '../../../db/read/distributors/profile.ts';
import { distributorTotals } from '../../../db/read/distributors/totals.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import { notFound } from '../../errors.ts';
import { chainMeta, type Handler } from '../../handler-types.ts';
import { lowerAddress } from '../../input/address.ts';
import { distributor } from '../../render/distributor.ts';

/** `distributors.get`: a distributor by address, as of the settled block. */
export const get: Handler<'distributors.get'> = async (input, { pool, deployment }) => {
  const address = lowerAddress(input.address);
  return await readLedger(pool, async (snapshot) => {
    const { sql, head } = snapshot;
    const [totals, profile] = await Promise.all([
      distributorTotals(snapshot, address),
      profileOfAddress(sql, address),
    ]);
    if (totals === undefined) throw notFound(`${address} never joined a campaign.`);
    const shown = profile?.visibility === 'public' ? profile : null;
    return {
      data: distributor(totals, shown, head.timestamp),
      chain: chainMeta(deployment, head),
    };
  });
};
