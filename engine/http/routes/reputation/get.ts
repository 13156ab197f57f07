import { profileOfAddress, profileOfHandle } from '../../../db/read/distributors/profile.ts';
import { distributorTotals } from '../../../db/read/distributors/totals.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import { notFound } from '../../errors.ts';
import { chainMeta, type Handler } from '../../handler-types.ts';
import { lowerAddress } from '../../input/address.ts';
import { recordRanges, trackRecord } from '../../render/distributor.ts';

/**
 * `reputation.get`: the public track record. A pseudonymous account has two that nothing links: one for the
 * address, with data from the chain, and one for the handle, with bands only.
 */
export const get: Handler<'reputation.get'> = async (input, { pool, deployment }) =>
  await readLedger(pool, async (snapshot) => {
    const { sql, head } = snapshot;
    const requested = addressOf(input.addressOrHandle);
    const profile = await (requested
      ? profileOfAddress(sql, requested)
      : profileOfHandle(sql, input.addressOrHandle));
    const address = requested ?? profile?.address;
    if (address === undefined) {
      throw notFound(`There is no distributor ${input.addressOrHandle}.`);
    }
    const totals = await distributorTotals(snapshot, address);
    const isPublic = profile?.visibility === 'public';
    if (totals === undefined && requested && !isPublic) {
      throw notFound(`${address} never joined a campaign.`);
    }
    const record = trackRecord(totals, head.timestamp);
    const showsAddress = requested !== undefined || isPublic;
    const showsHandle = requested === undefined || isPublic;
    return {
      data: {
        address: showsAddress ? address : null,
        handle: showsHandle ? (profile?.handle ?? null) : null,
        displayName: showsHandle ? (profile?.displayName ?? null) : null,
        visibility: isPublic ? 'public' : 'pseudonymous',
        record: showsAddress ? record : null,
        standing: recordRanges(record),
      },
      chain: chainMeta(deployment, head),
    };
  });

function addressOf(addressOrHandle: string): `0x${string}` | undefined {
  return /^0x[0-9a-fA-F]{40}$/.test(addressOrHandle)
    ? lowerAddress(`0x${addressOrHandle.slice(2)}`)
    : undefined;
}
