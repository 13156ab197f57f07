import type { z } from 'zod';
import type { OwnProfile } from '../../../contract/shapes/distributor.ts';
import type { Address } from '../../../core/events.ts';
import { ownProfile } from '../../../db/read/distributors/profile.ts';
import { distributorTotals } from '../../../db/read/distributors/totals.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import type { AppDeps } from '../../deps.ts';
import { chainMeta, type MethodResult } from '../../handler-types.ts';
import { ownProfileOf } from '../../render/distributor.ts';

/** Track record and profile of an account as its owner sees them, at the settled block. */
export async function answerOwnProfile(
  { pool, deployment }: Pick<AppDeps, 'pool' | 'deployment'>,
  address: Address,
): Promise<MethodResult<z.infer<typeof OwnProfile>>> {
  return await readLedger(pool, async (snapshot) => {
    const [totals, profile] = await Promise.all([
      distributorTotals(snapshot, address),
      ownProfile(snapshot.sql, address),
    ]);
    return {
      data: ownProfileOf(profile, totals, snapshot.head.timestamp),
      chain: chainMeta(deployment, snapshot.head),
    };
  });
}
