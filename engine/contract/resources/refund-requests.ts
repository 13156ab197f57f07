import { z } from 'zod';
import { defineMethod } from '../define.ts';
import { Dispute, DisputeDetail, DisputeStatus } from '../shapes/dispute.ts';
import { Id, pageOf, pageQuery, textInput } from '../values.ts';

const params = z.strictObject({ id: Id });
const message = textInput(2_000).min(1).describe('To the merchant; 1 to 2000 characters.');

const session = {
  documentedName: null,
  access: 'session',
  caller: 'account',
  availability: 'live',
} as const;

/** Methods with which a buyer follows its refund requests; `disputes.open` opens one. */
export const refundRequests = {
  list: defineMethod({
    ...session,
    name: 'refundRequests.list',
    method: 'GET',
    path: '/v1/me/refund-requests',
    summary: 'Refund requests of the caller, the last opened first.',
    input: { query: z.strictObject({ ...pageQuery, status: DisputeStatus.optional() }) },
    output: pageOf(Dispute),
  }),
  get: defineMethod({
    ...session,
    name: 'refundRequests.get',
    method: 'GET',
    path: '/v1/me/refund-requests/:id',
    summary: 'One refund request of the caller, with its messages.',
    input: { params },
    output: DisputeDetail,
  }),
  respond: defineMethod({
    ...session,
    name: 'refundRequests.respond',
    method: 'POST',
    path: '/v1/me/refund-requests/:id/responses',
    summary: 'Writes a message to the merchant.',
    input: { params, body: z.strictObject({ message }) },
    output: DisputeDetail,
  }),
  withdraw: defineMethod({
    ...session,
    name: 'refundRequests.withdraw',
    method: 'POST',
    path: '/v1/me/refund-requests/:id/withdraw',
    summary: 'Takes a request back that the chain has not refunded; repeating it does nothing.',
    input: { params, body: z.strictObject({ message: message.optional() }) },
    output: DisputeDetail,
  }),
} as const;
