import { countOf } from '../../../core/count-of.ts';
import type { ChainEvent } from '../../../core/events.ts';
import { afterEvents, campaignChanges } from '../../../core/preview.ts';
import type { AppDeps } from '../../deps.ts';
import { commerceCall } from '../transactions/unsigned.ts';
import type { OwnState } from './own-state.ts';
import type { OperationPlan, OperationWarning } from './prepare.ts';

const switches = {
  pause: { step: 'PAUSE', event: 'CampaignPaused', verb: 'Pauses' },
  resume: { step: 'RESUME', event: 'CampaignResumed', verb: 'Resumes' },
  end: { step: 'END', event: 'CampaignEnded', verb: 'Ends for good' },
} as const;

/** Sentence, with a space before it, about the sales that a paused or ended campaign still has; empty if it has none. */
export function stillOpen(pendingSales: number): string {
  if (pendingSales === 0) return '';
  return ` The ${countOf(pendingSales, 'pending sale')} can still be refunded, finalized and claimed.`;
}

/** Plan that pauses, resumes or ends a campaign. */
export function switchPlan(
  { deployment }: Pick<AppDeps, 'deployment'>,
  { campaign, state, clock }: OwnState,
  functionName: keyof typeof switches,
  warnings: readonly OperationWarning[],
): OperationPlan {
  const { step, event, verb } = switches[functionName];
  const next: ChainEvent = { name: event, args: {} };
  const call = commerceCall(deployment, {
    functionName,
    args: [BigInt(campaign.campaignId)],
    description: `${verb} campaign ${campaign.campaignId}.`,
  });
  return {
    status: 'ready',
    steps: [[step, call]],
    preview: campaignChanges(state, afterEvents(state, [next], clock), clock),
    warnings,
  };
}
