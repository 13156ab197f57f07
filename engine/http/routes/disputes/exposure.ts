import { disputeExposure } from '../../../db/read/dispute-exposure.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import { chainMeta, type Handler } from '../../handler.ts';
import { exposureOf } from '../../render/dispute.ts';

/** `disputes.exposure`: what the caller's open and accepted disputes could cost, by token. */
export const exposure: Handler<'disputes.exposure'> = async (_input, deps, { session }) =>
  await readLedger(deps.pool, async (snapshot) => ({
    data: exposureOf(await disputeExposure(snapshot, session.address)),
    chain: chainMeta(deps.deployment, snapshot.head),
  }));
