import { distributorFigures } from '../../../db/read/distributor-figures.ts';
import { ownProfile } from '../../../db/read/distributor-profile.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import { chainMeta, type Handler } from '../../handler.ts';
import { ownProfileOf } from '../../render/distributor.ts';

/** `reputation.mine`: the caller's own track record and profile, and what others see of them. */
export const mine: Handler<'reputation.mine'> = async (_input, { pool, deployment }, caller) => {
  const { address } = caller.session;
  return await readLedger(pool, async (snapshot) => {
    const [figures, profile] = await Promise.all([
      distributorFigures(snapshot, address),
      ownProfile(snapshot.sql, address),
    ]);
    return {
      data: ownProfileOf(profile, figures, snapshot.head.timestamp),
      chain: chainMeta(deployment, snapshot.head),
    };
  });
};
