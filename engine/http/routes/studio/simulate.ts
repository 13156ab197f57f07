import { NO_CAP } from '../../../contract/shapes/policy-input.ts';
import type { SimulationResult } from '../../../contract/shapes/simulation.ts';
import { type SimulatedRow, simulateSplit } from '../../../core/simulate.ts';
import type { SplitPolicy } from '../../../core/split.ts';
import type { Handler } from '../../handler-types.ts';

type Row = SimulationResult['situations'][number]['rows'][number];

/** `studio.simulate`: computes the split for several situations. It reads and stores nothing. */
export const simulate: Handler<'studio.simulate'> = async ({ policy: policyInput, ...input }) => {
  const policy: SplitPolicy = {
    commissionBps: policyInput.commissionBps,
    perSaleCap: BigInt(policyInput.perSaleCap ?? NO_CAP),
    campaignLiabilityCap: BigInt(policyInput.campaignLiabilityCap ?? NO_CAP),
    maxRewardedAncestors: policyInput.maxRewardedAncestors,
    weightsBps: policyInput.weightsBps,
    shortPathMode: policyInput.shortPathMode ?? 'RENORMALIZE_EXISTING',
  };
  const amount = BigInt(input.amount);
  const liability = BigInt(input.liability ?? 0);
  const available = input.available === undefined ? null : BigInt(input.available);
  const pathLengths = input.pathLengths ?? lengthsUpTo(policy.maxRewardedAncestors + 1);
  const { gross, situations } = simulateSplit({
    policy,
    amount,
    liability,
    available,
    pathLengths,
  });
  return {
    data: {
      policy: {
        ...policy,
        perSaleCap: policy.perSaleCap.toString(),
        campaignLiabilityCap: policy.campaignLiabilityCap.toString(),
        weightsBps: [...policy.weightsBps],
      },
      amount: amount.toString(),
      liability: liability.toString(),
      available: available?.toString() ?? null,
      gross: gross.toString(),
      situations: situations.map(({ situation, caps, rows }) => ({
        situation,
        caps: caps.map(({ reason, cap, before, after }) => ({
          reason,
          cap: cap.toString(),
          before: before.toString(),
          after: after.toString(),
        })),
        rows: rows.map(simulatedRow),
      })),
    },
  };
};

function simulatedRow(row: SimulatedRow): Row {
  return {
    ...row,
    pool: row.pool.toString(),
    weightWhole: Number(row.weightWhole),
    reserved: row.reserved.toString(),
    returned: row.returned.toString(),
    rounding: row.rounding.toString(),
    levels: row.levels.map((level) => ({
      level: level.level,
      weightBps: level.weightBps,
      floor: level.floor.toString(),
      remainder: level.remainder.toString(),
      rounding: level.rounding.toString(),
      amount: level.amount.toString(),
      missed: level.missed.map(({ reason, amount }) => ({ reason, amount: amount.toString() })),
    })),
  };
}

function lengthsUpTo(most: number): number[] {
  return Array.from({ length: most + 1 }, (_, length) => length);
}
