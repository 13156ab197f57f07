import {
  DECLINED_DAYS,
  MAX_REQUESTS,
  sendJoinRequest,
} from '../../../db/commerce/join-requests.ts';
import { type JoinerView, joinerOf } from '../../../db/read/campaigns/joining.ts';
import type { CampaignView } from '../../../db/read/campaigns/rows.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import { newId } from '../../auth/token.ts';
import { conflict, HttpError, unprocessable } from '../../errors.ts';
import type { Handler } from '../../handler-types.ts';
import { joinRequest } from '../../render/join-request.ts';
import { joinRefusalsOf } from '../../render/own-link.ts';
import { requireCampaign } from '../../resources/campaigns/find-campaign.ts';

/** `joinRequests.send`: asks the merchant of an invite-only campaign for an invitation, once until it is answered. */
export const send: Handler<'joinRequests.send'> = async (input, deps, { account }) => {
  const { campaign, joiner } = await readLedger(deps.pool, async (snapshot) => {
    const campaign = await requireCampaign(snapshot, input.campaignId);
    return { campaign, joiner: await joinerOf(snapshot, campaign, account) };
  });
  const refusal = refusalOf(campaign, joiner, account);
  if (refusal !== undefined) {
    throw unprocessable('The request cannot be sent: see issues.', [
      { path: 'campaignId', message: refusal },
    ]);
  }
  const { campaignId, merchant, termsHash } = campaign;
  const message = input.message.trim();
  const sent = await sendJoinRequest(
    deps.pool,
    { id: newId(), merchant, campaignId, termsHash, distributor: account, message },
    new Date(deps.clock()),
  );
  switch (sent.outcome) {
    case 'sent':
      return { data: joinRequest(sent.request) };
    case 'known':
      throw conflict(
        sent.request.status === 'pending'
          ? `Your request to join campaign ${campaignId} is not answered yet.`
          : `The merchant declined your request: you can ask again ${DECLINED_DAYS} days after the answer.`,
      );
    case 'account-full':
      throw new HttpError(
        'RATE_LIMITED',
        `You sent ${MAX_REQUESTS.perDay} requests in 24 hours, which is the maximum.`,
      );
    case 'merchant-full':
      throw unprocessable('The merchant has too many unanswered requests: try again later.');
  }
};

/** Why an account cannot ask to join a campaign; `undefined` if it can. */
function refusalOf(
  campaign: CampaignView,
  joiner: JoinerView,
  account: string,
): string | undefined {
  if (campaign.merchant === account) return 'must not be your own campaign';
  if (!campaign.inviteOnly) return 'must be one that is by invitation: you can join this one';
  if (joiner.allowed) return 'must be one that you are not invited to yet: you can join this one';
  const [closed] = joinRefusalsOf(campaign, { ...joiner, allowed: true });
  if (closed !== undefined) return `must be one that takes links: ${closed}`;
  if (campaign.moderation.hidden) return 'must be one that is not hidden';
  const { profile } = campaign.seller;
  if (profile === null) return 'must be one whose merchant has a profile here, and can answer';
  return profile.closed ? 'must be one whose merchant is not closed' : undefined;
}
