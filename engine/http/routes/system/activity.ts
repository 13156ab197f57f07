import { DAY_SECONDS } from '../../../core/analytics.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import {
  activityByDay,
  countCampaigns,
  newestTokens,
  type TokenDay,
} from '../../../db/read/system/activity.ts';
import { listedTokenTotals } from '../../../db/read/token-totals.ts';
import { chainMeta, type Handler } from '../../handler-types.ts';
import { isoTime } from '../../render/time.ts';
import { tokenTotals } from '../../render/token-totals.ts';

const DEFAULT_DAYS = 30;
/** Tokens of a response: those with the most sales of these days, then those of the newest campaigns. */
const MAX_TOKENS = 5;

const NO_SALES: TokenDay = { sales: 0, settledValue: 0n, rewards: 0n };

/** `system.activity`: sales by day, and totals by token, of the campaigns that lists show. */
export const activity: Handler<'system.activity'> = async (input, { pool, deployment }) =>
  await readLedger(pool, async (snapshot) => {
    const { head } = snapshot;
    const last = Math.floor(head.timestamp / DAY_SECONDS);
    const first = last - (input.days ?? DEFAULT_DAYS) + 1;
    const [found, newest, campaigns] = await Promise.all([
      activityByDay(snapshot, { first, last }, MAX_TOKENS),
      newestTokens(snapshot, MAX_TOKENS),
      countCampaigns(snapshot),
    ]);
    const tokens = [...new Set([...found.tokens.keys(), ...newest])].slice(0, MAX_TOKENS);
    const totals = await listedTokenTotals(snapshot, tokens);
    const days = Array.from({ length: last - first + 1 }, (_, i) => first + i);
    return {
      data: {
        campaigns: campaigns.listed,
        liveCampaigns: campaigns.live,
        days: days.map((day) => ({
          day: isoTime(day * DAY_SECONDS),
          ...(found.days.get(day) ?? { sales: 0, campaigns: 0 }),
        })),
        tokens: totals.map((one) => ({
          ...tokenTotals(deployment.chainId, one),
          days: days.map((day) => {
            const { sales, settledValue, rewards } =
              found.tokens.get(one.token.address)?.get(day) ?? NO_SALES;
            return { sales, settledValue: settledValue.toString(), rewards: rewards.toString() };
          }),
        })),
      },
      chain: chainMeta(deployment, head),
    };
  });
