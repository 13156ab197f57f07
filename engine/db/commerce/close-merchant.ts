import type { Address } from '../../core/events.ts';
import type { Pool } from '../connection.ts';
import { type MerchantStake, merchantStake } from '../read/merchants/stake.ts';
import { type ReadHead, snapshotIn } from '../read/snapshot.ts';
import { lockOwnMerchant } from './own-merchant.ts';

export interface Closing {
  /** `null` where something is open: nothing was changed. */
  readonly closedAt: Date | null;
  readonly stake: MerchantStake;
  readonly head: ReadHead;
}

/**
 * Closes a merchant if nothing of it is open at the settled block: one transaction, with its row
 * locked. Closing again does not change the time.
 * @param clock unix milliseconds, read once the row is locked: no write bears a later time.
 * @throws {NotSettledError} if there is no settled block yet.
 */
export async function closeMerchant(
  pool: Pool,
  address: Address,
  clock: () => number,
): Promise<Closing> {
  return await pool.begin(async (sql) => {
    const merchant = await lockOwnMerchant(sql, address);
    if (merchant === undefined) throw new Error(`${address} has no profile to close.`);
    const snapshot = await snapshotIn(sql);
    const now = new Date(clock());
    const stake = await merchantStake(snapshot, address);
    const closedAt = merchant.closedAt ?? (isAnythingOpen(stake) ? null : now);
    if (closedAt !== null && merchant.closedAt === null) {
      await sql`
        update commerce.merchant set closed_at = ${now.toISOString()}::timestamptz,
          updated_at = ${now.toISOString()}::timestamptz
        where id = ${merchant.id}`;
    }
    return { closedAt, stake, head: snapshot.head };
  });
}

function isAnythingOpen({ pending, unclaimed, proceeds, ...counts }: MerchantStake): boolean {
  const { liveCampaigns, openDisputes } = counts;
  const amounts = [...pending.held, ...unclaimed.rewards, ...proceeds.amounts];
  return pending.sales + liveCampaigns + openDisputes > 0 || amounts.length > 0;
}
