import type { Issue } from '../../../contract/envelope.ts';
import { checkWeights } from '../../../contract/shapes/policy-input.ts';
import type { ProductToSell } from '../../../db/read/products/to-sell.ts';
import { isoTime } from '../../render/time.ts';
import { type DraftInput, missingPaths } from './missing.ts';

/** Facts that a draft is checked against. */
export interface PublishFacts {
  /** Product of the draft; `null` if the merchant has none of that id. */
  readonly product: ProductToSell | null;
  /** Unix seconds of the settled block. */
  readonly clock: number;
}

/**
 * Issues that prevent publishing a draft, each with its field: missing parts, values that the contract would
 * reject (docs/reference/protocol.md#campaigns), and campaigns that could never sell. The schema checks the limits
 * of single fields.
 */
export function publishIssues(draft: DraftInput, facts: PublishFacts): Issue[] {
  return [
    ...missingPaths(draft).map((path) => ({ path, message: 'is missing' })),
    ...productIssues(draft, facts.product),
    ...timeIssues(draft, facts.clock),
    ...policyIssues(draft),
  ];
}

function productIssues({ productId, token }: DraftInput, product: ProductToSell | null) {
  const issues: Issue[] = [];
  if (productId === undefined) return issues;
  const path = 'productId';
  if (product === null) return [{ path, message: `must be a product of yours: ${productId}` }];
  if (product.status !== 'ready') {
    issues.push({ path, message: `must be a product that is ready, but it is ${product.status}` });
  }
  if (token !== undefined && product.token !== null && token.toLowerCase() !== product.token) {
    issues.push({
      path: 'token',
      message: `must be the token of the product's price: ${product.token}`,
    });
  }
  return issues;
}

function timeIssues({ startsAt, endsAt, policy }: DraftInput, clock: number): Issue[] {
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
        message: `must be after the settled block, whose time is ${isoTime(clock)}`,
      });
    } else if (from !== undefined && time <= from) {
      issues.push({ path, message: 'must be after startsAt' });
    }
  }
  return issues;
}

/** Issues of a policy that its schema does not find: between its fields, and with the campaign's token. */
export function policyIssues({ token, policy }: Pick<DraftInput, 'token' | 'policy'>): Issue[] {
  const issues: Issue[] = [];
  const weights = policy && checkWeights(policy);
  if (weights) issues.push({ path: 'policy.weightsBps', message: weights });
  const rewardToken = policy?.rewardToken?.toLowerCase();
  if (rewardToken !== undefined && token !== undefined && rewardToken !== token.toLowerCase()) {
    issues.push({ path: 'policy.rewardToken', message: 'must be the token of the campaign' });
  }
  return issues;
}

/** Unix seconds of a time. Fractions are cut off, because the chain has none. */
export function secondsOf(time: string): number;
export function secondsOf(time: string | undefined): number | undefined;
export function secondsOf(time: string | undefined): number | undefined {
  return time === undefined ? undefined : Math.floor(Date.parse(time) / 1_000);
}
