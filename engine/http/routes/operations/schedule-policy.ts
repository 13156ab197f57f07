import type { Issue } from '../../../contract/envelope.ts';
import { percentText } from '../../../core/amount-text.ts';
import { type Policy, policyAt } from '../../../core/campaign.ts';
import { shortPathModes } from '../../../core/events.ts';
import { changesOf, type FieldValues } from '../../../core/preview.ts';
import type { AppDeps } from '../../deps.ts';
import { unprocessable } from '../../errors.ts';
import type { Handler } from '../../handler-types.ts';
import { policyTerms } from '../../render/policy.ts';
import { isoTime } from '../../render/time.ts';
import { type OwnState, readOwnState } from '../../resources/operations/own-state.ts';
import {
  type OperationPlan,
  type OperationWarning,
  preparedOperation,
  refused,
} from '../../resources/operations/prepare.ts';
import { budgetWarning } from '../../resources/operations/warnings.ts';
import { policyIssues, secondsOf } from '../../resources/publish/issues.ts';
import { type PolicyPlan, planPolicy } from '../../resources/publish/policy.ts';
import { commerceCall } from '../../resources/transactions/unsigned.ts';

/** Seconds between scheduling a version and its effect, at least (docs/reference/protocol.md#policy). */
const NOTICE_SECONDS = 3_600;
/** Versions that may wait to take effect. */
const MAX_WAITING = 4;

type Input = Parameters<Handler<'operations.schedulePolicy'>>[0];

/** `operations.schedulePolicy`: the next version of the policy. A version that waits already is not scheduled again. */
export const schedulePolicy: Handler<'operations.schedulePolicy'> = async (input, deps, caller) => {
  const own = await readOwnState(deps, input.campaignId, caller.merchant);
  const issues = issuesOf(input, own);
  if (issues.length > 0) throw unprocessable('The policy cannot be scheduled: see issues.', issues);
  const { policies } = own.state;
  const planned = planPolicy(input.policy, own.campaign.token);
  const effectiveAt = secondsOf(input.effectiveAt);
  const same = policies.find(
    (one) => one.policyHash === planned.policyHash && one.effectiveAt === effectiveAt,
  );
  const version = same?.version ?? Math.max(...policies.map((one) => one.version)) + 1;
  const next = policyOf(planned, { version, effectiveAt });
  const plan = same ? ({ status: 'in_effect' } as const) : planOf(deps, own, next, planned);
  return {
    data: {
      ...(await preparedOperation(deps, own, plan)),
      version,
      effectiveAt: isoTime(effectiveAt),
      eligibilityHash: planned.eligibilityHash,
      policyHash: planned.policyHash,
    },
    chain: own.chain,
  };
};

function issuesOf({ policy, effectiveAt }: Input, { campaign, clock }: OwnState): Issue[] {
  const { token } = campaign;
  const issues = policyIssues({ token, policy });
  const time = secondsOf(effectiveAt);
  if (time < clock + NOTICE_SECONDS) {
    const earliest = isoTime(clock + NOTICE_SECONDS);
    const message = `must be at least ${NOTICE_SECONDS} seconds after the settled block: ${earliest} or later`;
    issues.push({ path: 'effectiveAt', message });
  }
  if (secondsOf(policy.expiry) <= time) {
    issues.push({ path: 'policy.expiry', message: 'must be after effectiveAt' });
  }
  return issues;
}

function policyOf(
  { policy, ...hashes }: PolicyPlan,
  { version, effectiveAt }: Pick<Policy, 'version' | 'effectiveAt'>,
): Policy {
  return {
    ...policy,
    ...hashes,
    version,
    effectiveAt,
    rewardToken: policy.rewardToken,
    shortPathMode: shortPathModes[policy.shortPathMode] ?? 'RENORMALIZE_EXISTING',
    expiry: Number(policy.expiry),
  };
}

function planOf(
  { deployment }: AppDeps,
  own: OwnState,
  next: Policy,
  { policy }: PolicyPlan,
): OperationPlan {
  const { campaign, state } = own;
  const waiting = state.policies.filter(({ version }) => version > campaign.policy.version);
  if (waiting.length >= MAX_WAITING) return refused('TooManyPoliciesWaiting');
  const replaced = policyAt(state.policies, next.effectiveAt);
  const { campaignId } = campaign;
  const call = commerceCall(deployment, {
    functionName: 'schedulePolicy',
    args: [BigInt(campaignId), policy, BigInt(next.effectiveAt)],
    description: `Schedules version ${next.version} of the policy of campaign ${campaignId} for ${isoTime(next.effectiveAt)}: ${percentText(next.commissionBps)} of each sale is rewards.`,
  });
  return {
    status: 'ready',
    steps: [['SCHEDULE_POLICY', call]],
    preview: changesOf(
      { subject: 'policy', id: String(next.version) },
      replaced ? valuesOf(replaced) : {},
      valuesOf(next),
    ),
    warnings: warningsOf(own, next, waiting),
  };
}

/** Fields of a policy as text; lists as JSON. */
function valuesOf(policy: Policy): FieldValues {
  return Object.fromEntries(
    Object.entries(policyTerms(policy)).map(([field, value]) => [
      field,
      typeof value === 'object' ? JSON.stringify(value) : String(value),
    ]),
  );
}

function warningsOf(
  { campaign, state, clock }: OwnState,
  next: Policy,
  waiting: readonly Policy[],
): OperationWarning[] {
  const late = campaign.endsAt <= next.effectiveAt;
  const over = campaign.snapshot.ended || late;
  const hidden = waiting.filter(({ effectiveAt }) => effectiveAt >= next.effectiveAt);
  return [
    budgetWarning(state, clock, next),
    ...(over
      ? [{ code: 'NO_EFFECT', message: 'The campaign ends before: no sale will use it.' } as const]
      : []),
    ...hidden.map(({ version, effectiveAt }) => ({
      code: 'HIDES_VERSION' as const,
      message: `Version ${version}, scheduled for ${isoTime(effectiveAt)}, will never take effect.`,
    })),
  ];
}
