import type { Issue } from '../../contract/envelope.ts';
import { checkWeights } from '../../contract/shapes/policy-input.ts';
import type { ProductToSell } from '../../db/read/product-to-sell.ts';
import { isoTime } from '../render/time.ts';
import { type Draft, missingPaths } from './missing.ts';

/** What a draft is held against. */
export interface Circumstances {
  /** Its product; `undefined` where the merchant has none of that id. */
  readonly product: ProductToSell | undefined;
  /** Unix seconds of the settled block. */
  readonly clock: number;
}

/**
 * All that keeps a draft from becoming a campaign, each by its field: what is missing, what the
 * contract would refuse (design §3), and what could never sell. Bounds of single fields are the
 * schema's.
 */
export function problemsOf(draft: Draft, circumstances: Circumstances): Issue[] {
  return [
    ...missingPaths(draft).map((path) => ({ path, message: 'is missing' })),
    ...productProblems(draft, circumstances.product),
    ...timeProblems(draft, circumstances.clock),
    ...policyProblems(draft),
  ];
}

function productProblems({ productId, token }: Draft, product: ProductToSell | undefined) {
  const issues: Issue[] = [];
  if (productId === undefined) return issues;
  const path = 'productId';
  if (product === undefined) return [{ path, message: `must be a product of yours: ${productId}` }];
  if (product.status !== 'ready') {
    issues.push({ path, message: `must be a product that is ready, and it is ${product.status}` });
  }
  if (token !== undefined && product.token !== null && token.toLowerCase() !== product.token) {
    issues.push({
      path: 'token',
      message: `must be what the product is priced in: ${product.token}`,
    });
  }
  return issues;
}

function timeProblems({ startsAt, endsAt, policy }: Draft, clock: number): Issue[] {
  const issues: Issue[] = [];
  const [from, to, expiry] = [startsAt, endsAt, policy?.expiry].map(secondsOf);
  if (from !== undefined && from < 0) {
    issues.push({ path: 'startsAt', message: 'must not be before 1970' });
  }
  for (const [path, time] of [
    ['endsAt', to],
    ['policy.expiry', expiry],
  ] as const) {
    if (time === undefined) continue;
    if (time <= clock) {
      issues.push({
        path,
        message: `must be after the settled block, which is of ${isoTime(clock)}`,
      });
    } else if (from !== undefined && time <= from) {
      issues.push({ path, message: 'must be after startsAt' });
    }
  }
  return issues;
}

function policyProblems({ token, policy }: Draft): Issue[] {
  const issues: Issue[] = [];
  const weights = policy && checkWeights(policy);
  if (weights) issues.push({ path: 'policy.weightsBps', message: weights });
  const rewardToken = policy?.rewardToken?.toLowerCase();
  if (rewardToken !== undefined && token !== undefined && rewardToken !== token.toLowerCase()) {
    issues.push({ path: 'policy.rewardToken', message: 'must be the token of the campaign' });
  }
  return issues;
}

/** Unix seconds; the chain knows no fractions, so they are cut off. */
export function secondsOf(time: string): number;
export function secondsOf(time: string | undefined): number | undefined;
export function secondsOf(time: string | undefined): number | undefined {
  return time === undefined ? undefined : Math.floor(Date.parse(time) / 1_000);
}
