import type { Address } from '../../../core/events.ts';
import {
  answerJoinRequest,
  type JoinRequest,
  lockJoinRequest,
} from '../../../db/commerce/join-requests.ts';
import type { Sql } from '../../../db/connection.ts';
import type { AppDeps } from '../../deps.ts';
import { conflict, notFound } from '../../errors.ts';
import type { Handler } from '../../handler-types.ts';
import { joinRequest } from '../../render/join-request.ts';
import { inviteToCampaign } from '../../resources/invitations/invite.ts';
import { asOpenMerchant } from '../../resources/merchants/own-merchant.ts';

/** Milliseconds for which the invitation of an answer can be accepted. */
const INVITED_MS = 30 * 86_400_000;

/** `joinRequests.answer`: invites the account that asked, or declines, once. */
export const answer: Handler<'joinRequests.answer'> = async (input, deps, { merchant }) => {
  const { id, response, reason } = input;
  if (response === 'decline') {
    const request = await asOpenMerchant(deps.pool, merchant, (sql) =>
      answered(sql, deps, { id, merchant }, { status: 'declined', reason: reason ?? null }),
    );
    return { data: { request: joinRequest(request), invitation: null, transaction: null } };
  }
  const { distributor, campaignId } = await pendingOf(deps.pool, { id, merchant });
  const text = {
    ...{ distributor, campaignId, terms: '' },
    message: 'You asked to join: welcome.',
    expiresAt: new Date(deps.clock() + INVITED_MS),
  };
  const invited = await inviteToCampaign(deps, merchant, text, (sql) =>
    answered(sql, deps, { id, merchant }, { status: 'invited', reason: null }),
  );
  const { invitation, transaction, value, chain } = invited;
  return { data: { request: joinRequest(value), invitation, transaction }, chain };
};

interface Asked {
  readonly id: string;
  readonly merchant: Address;
}

/**
 * The request, locked and not answered yet.
 * @throws {HttpError} NOT_FOUND if the merchant has none of that id, CONFLICT if it was answered.
 */
async function pendingOf(sql: Sql, asked: Asked): Promise<JoinRequest> {
  const request = await lockJoinRequest(sql, asked);
  if (request === undefined) throw notFound(`There is no request ${asked.id} to you.`);
  if (request.status !== 'pending') {
    throw conflict(`The request ${asked.id} is ${request.status}: it was answered.`);
  }
  return request;
}

async function answered(
  sql: Sql,
  { clock }: Pick<AppDeps, 'clock'>,
  asked: Asked,
  answer: Parameters<typeof answerJoinRequest>[2],
): Promise<JoinRequest> {
  await pendingOf(sql, asked);
  return await answerJoinRequest(sql, asked.id, answer, new Date(clock()));
}
