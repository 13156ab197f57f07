import { pathOf } from '../../../../../engine/contract/pages.ts';
import type { api, DataOf } from '../../../api.ts';
import { money, words } from '../../../format.ts';

/** A notification, as `notifications.list` returns it. */
export type News = DataOf<typeof api.notifications.list>['items'][number];

/**
 * A notification as a sentence.
 * @param campaign name of its campaign; default its number.
 */
export function newsText(news: News, campaign = `campaign ${news.campaignId}`): string {
  const where = news.campaignId === null ? '' : ` in ${campaign}`;
  const begin = campaign[0]?.toUpperCase() + campaign.slice(1);
  const amount =
    news.amount === null || news.token === null ? 'Rewards' : money(news.amount, news.token);
  switch (news.kind) {
    case 'rewards_claimable':
      return `${amount} became claimable${where}.`;
    case 'rewards_refunded':
      return `${amount} went back to the vault, because buyers were refunded${where}.`;
    case 'rewards_reversed':
      return `${amount} went back to the vault, because sales were reversed${where}.`;
    case 'policy_scheduled':
      return `Version ${news.policyVersion} of the reward policy was scheduled${where}.`;
    case 'campaign_paused':
      return `${begin} was paused.`;
    case 'campaign_resumed':
      return `${begin} was resumed.`;
    case 'campaign_ended':
      return `${begin} was ended by its merchant.`;
    case 'campaign_expired':
      return `${begin} expired.`;
    case 'invitation_received':
      return `You were invited to ${campaign}.`;
    case 'invitation_answered':
      return `Your invitation to ${campaign} was ${words(news.answer ?? 'answered')}.`;
    case 'refund_requested':
      return `A buyer asked for a refund of sale ${news.saleId}.`;
    case 'refund_answered':
      return `Your refund request for sale ${news.saleId} was ${words(news.answer ?? 'answered')}.`;
    case 'refund_paid':
      return `${amount} of sale ${news.saleId} was refunded to you.`;
    case 'report_ready':
      return 'A report is ready.';
  }
}

/** Page on which the reader sees more of a notification; `undefined` without one. */
export function newsPage({ kind, campaignId }: News): string | undefined {
  if (kind === 'invitation_received') return `${pathOf('account')}?tab=invitations`;
  return campaignId === null ? undefined : pathOf('campaign', { campaignId });
}
