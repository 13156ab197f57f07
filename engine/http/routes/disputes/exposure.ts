import { disputeExposure } from '../../../db/read/disputes/exposure.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import { chainMeta, type Handler } from '../../handler-types.ts';
import { exposureOf } from '../../render/dispute.ts';

/** `disputes.exposure`: possible cost of the caller's open and accepted disputes, by token. */
export const exposure: Handler<'disputes.exposure'> = async (_input, deps, { merchant }) =>
  await readLedger(deps.pool, async (snapshot) => ({
    data: exposureOf(await disputeExposure(snapshot, merchant)),
    chain: chainMeta(deps.deployment, snapshot.head),
  }));
