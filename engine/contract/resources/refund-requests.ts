import { z } from 'zod';
import { get, post, resource } from '../define.ts';
import { Dispute, DisputeDetail, DisputeStatus } from '../shapes/dispute.ts';
import { Id, pageOf, pageQuery, textInput } from '../values.ts';

const params = z.strictObject({ id: Id });
const message = textInput(2_000).min(1).describe('To the merchant; 1 to 2000 characters.');

/** Methods with which a buyer follows its refund requests; `disputes.open` opens one. */
export const refundRequests = resource('refundRequests', {
  about: 'Refund requests of a buyer, to follow or to withdraw.',
  caller: 'account',
  documentedName: null,
})({
  list: get('/v1/me/refund-requests', {
    summary: 'Refund requests of the caller, the last opened first.',
    input: { query: z.strictObject({ ...pageQuery, status: DisputeStatus.optional() }) },
    output: pageOf(Dispute),
  }),
  get: get('/v1/me/refund-requests/:id', {
    summary: 'One refund request of the caller, with its messages.',
    input: { params },
    output: DisputeDetail,
  }),
  respond: post('/v1/me/refund-requests/:id/responses', {
    summary: 'Writes a message to the merchant.',
    input: { params, body: z.strictObject({ message }) },
    output: DisputeDetail,
  }),
  withdraw: post('/v1/me/refund-requests/:id/withdraw', {
    summary: 'Takes a request back that the chain has not refunded; repeating it does nothing.',
    input: { params, body: z.strictObject({ message: message.optional() }) },
    output: DisputeDetail,
  }),
});
