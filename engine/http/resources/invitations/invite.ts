import { zeroAddress } from 'viem';
import type { Issue } from '../../../contract/envelope.ts';
import type { Address } from '../../../core/events.ts';
import {
  MAX_PENDING,
  type SentInvitation,
  sendInvitation,
} from '../../../db/commerce/invitations.ts';
import type { Sql } from '../../../db/connection.ts';
import { type JoinerView, joinerOf } from '../../../db/read/campaigns/joining.ts';
import type { CampaignView } from '../../../db/read/campaigns/rows.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import { newId } from '../../auth/token.ts';
import type { AppDeps } from '../../deps.ts';
import { conflict, invalidField, unprocessable } from '../../errors.ts';
import { chainMeta } from '../../handler-types.ts';
import { invitation } from '../../render/invitation.ts';
import { joinRefusalsOf } from '../../render/own-link.ts';
import { requireOwnCampaign } from '../campaigns/find-campaign.ts';
import { asOpenMerchant } from '../merchants/own-merchant.ts';
import { commerceCall, unsignedTransaction } from '../transactions/unsigned.ts';

/** Milliseconds until the latest expiry of an invitation: a year. */
const MAX_AHEAD_MS = 366 * 86_400_000;

/** An invitation as a merchant writes it. */
export interface InvitationText {
  readonly distributor: Address;
  readonly campaignId: string;
  readonly message: string;
  readonly terms: string;
  readonly expiresAt: Date;
}

/**
 * Invites an account to a campaign of the merchant, under the policy in effect. An invite-only campaign also needs the
 * returned transaction, which adds the account to its allow-list.
 * @param alongside written in the same transaction, before the invitation.
 * @throws {HttpError} if the campaign takes no such invitation.
 */
export async function inviteToCampaign<T>(
  deps: AppDeps,
  address: Address,
  input: InvitationText,
  alongside: (sql: Sql) => Promise<T>,
) {
  const { deployment, pool } = deps;
  const { distributor, expiresAt } = input;
  if (distributor === zeroAddress) {
    throw invalidField('distributor', 'must not be the zero address: no account has its key');
  }
  const { campaign, joiner, head } = await readLedger(pool, async (snapshot) => {
    const campaign = await requireOwnCampaign(snapshot, input.campaignId, address);
    const joiner = await joinerOf(snapshot, campaign, distributor);
    return { campaign, joiner, head: snapshot.head };
  });
  const now = new Date(deps.clock());
  const issues = [
    ...(distributor === address ? [{ path: 'distributor', message: 'must not be yourself' }] : []),
    ...campaignIssues(campaign, joiner),
    ...expiryIssues(expiresAt, now),
  ];
  if (issues.length > 0) {
    throw unprocessable('The invitation cannot be sent: see issues.', issues);
  }
  const { campaignId, policy } = campaign;
  const { sent, value } = await asOpenMerchant(pool, address, async (sql, { id }) => {
    // First, so that what it throws prevents the invitation.
    const value = await alongside(sql);
    const sent = await sendInvitation(sql, {
      id: newId(),
      merchant: { id, address },
      campaignId,
      distributor,
      message: input.message,
      terms: input.terms,
      policyHash: policy.policyHash,
      expiresAt,
      now,
    });
    requireSent(sent, input);
    return { sent, value };
  });
  const allow = commerceCall(deployment, {
    functionName: 'allowDistributor',
    args: [BigInt(campaignId), distributor, true],
    description: `Lets ${distributor} join campaign ${campaignId}, which is by invitation only.`,
  });
  const needsAllow = campaign.inviteOnly && !joiner.allowed;
  const transaction = needsAllow ? await unsignedTransaction(deps, address, allow) : null;
  return {
    invitation: invitation(sent.invitation),
    transaction,
    value,
    chain: chainMeta(deployment, head, campaign.newestBlock, campaign.campaignId),
  };
}

/** @throws {HttpError} if the invitation was not stored: the transaction then changes nothing. */
function requireSent(
  sent: SentInvitation,
  { distributor, campaignId }: InvitationText,
): asserts sent is Extract<SentInvitation, { readonly outcome: 'sent' }> {
  if (sent.outcome === 'full') {
    throw unprocessable(`You have ${MAX_PENDING} unanswered invitations, which is the maximum.`);
  }
  if (sent.outcome === 'pending') {
    throw conflict(
      `The invitation ${sent.id} of ${distributor} to campaign ${campaignId} is not answered yet.`,
    );
  }
}

/** Reasons why an invitation to the campaign could not be accepted. The allow-list is handled separately. */
function campaignIssues(campaign: CampaignView, joiner: JoinerView): Issue[] {
  const reasons = joinRefusalsOf(campaign, { ...joiner, allowed: true });
  const path = 'campaignId';
  return [
    ...reasons.map((reason) => ({ path, message: `must be one that takes links: ${reason}` })),
    ...(campaign.moderation.hidden ? [{ path, message: 'must be one that is not hidden' }] : []),
  ];
}

function expiryIssues(expiresAt: Date, now: Date): Issue[] {
  const path = 'expiresAt';
  if (expiresAt <= now) return [{ path, message: 'must be in the future' }];
  const tooFar = expiresAt.getTime() > now.getTime() + MAX_AHEAD_MS;
  return tooFar ? [{ path, message: 'must be at most a year ahead' }] : [];
}
