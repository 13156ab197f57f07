// Resources of the specification that are not built: docs/api.md. Their methods answer 501.
import { designed, resource } from '../define.ts';

/** Methods for storefronts and payment processors. */
export const integrations = resource('integrations', {
  about: 'Storefronts and payment processors (designed).',
  caller: 'viewer',
  availability: 'designed',
})({
  list: designed(
    'GET /v1/merchant/integrations',
    'Storefronts and payment processors of the merchant.',
  ),
  connect: designed(
    'POST /v1/merchant/integrations/:provider',
    'Connects a provider. Requires a fresh signature.',
    { caller: 'admin', rights: 'widens' },
  ),
  disconnect: designed('DELETE /v1/merchant/integrations/:provider', 'Disconnects a provider.', {
    caller: 'admin',
    rights: 'narrows',
  }),
  status: designed(
    'GET /v1/merchant/integrations/:provider/status',
    'How far the orders of a provider are attested and recorded.',
  ),
  reconciliation: designed(
    'GET /v1/merchant/integrations/:provider/reconciliation',
    'How far the orders of a provider are attested and recorded, for a period and for campaigns.',
  ),
  resolveMismatch: designed(
    'POST /v1/merchant/integrations/mismatches/:id',
    'Resolves a mismatch with a note, which is stored.',
    { caller: 'admin' },
  ),
});

/** Methods for attesters of a merchant. */
export const signers = resource('signers', {
  about: 'Accounts that attest sales (designed).',
  caller: 'viewer',
  availability: 'designed',
})({
  list: designed(
    'GET /v1/merchant/signers',
    'Accounts that may attest sales for the merchant, and the rules they sign by.',
  ),
  add: designed(
    'POST /v1/merchant/signers',
    'Lets an account attest sales, within limits. Requires a fresh signature.',
    { caller: 'admin', rights: 'widens' },
  ),
  revoke: designed('DELETE /v1/merchant/signers/:id', 'Revokes the right to attest.', {
    caller: 'admin',
    rights: 'narrows',
  }),
  attestations: designed(
    'GET /v1/merchant/signers/:id/attestations',
    'Attestations of a signer, newest first.',
  ),
});

/** Methods for subscriptions of a merchant. */
export const subscriptions = resource('subscriptions', {
  about: 'Products paid by the month or year (designed).',
  caller: 'viewer',
  availability: 'designed',
})({
  list: designed(
    'GET /v1/merchant/subscriptions',
    'Subscriptions that the merchant sells, newest first.',
  ),
  get: designed('GET /v1/merchant/subscriptions/:id', 'One subscription.'),
  save: designed(
    'PUT /v1/merchant/subscriptions/:id',
    'Creates a subscription, or replaces it completely.',
    { caller: 'admin' },
  ),
});

/** Methods for partnerships of accounts. */
export const partnerships = resource('partnerships', {
  about: 'Long-term agreements with distributors (designed).',
  caller: 'admin',
  availability: 'designed',
})({
  list: designed('GET /v1/partnerships', 'Partnerships of the caller, newest first.', {
    caller: 'viewer',
  }),
  propose: designed('POST /v1/partnerships', 'Proposes a partnership to another account.'),
  respond: designed('POST /v1/partnerships/:id/responses', 'Accepts or declines a proposal.'),
  terminate: designed(
    'POST /v1/partnerships/:id/terminate',
    'Ends a partnership; what was sold stays as it is.',
  ),
});

/** Methods for communities of distributors. */
export const communities = resource('communities', {
  about: 'Groups of distributors (designed).',
  caller: 'account',
  availability: 'designed',
})({
  list: designed('GET /v1/communities', 'Communities of distributors, newest first.'),
  get: designed('GET /v1/communities/:id', 'A community.'),
  create: designed('POST /v1/communities', 'Founds a community; the caller owns it.'),
  members: designed(
    'GET /v1/communities/:id/members',
    'Members of a community, in the order in which they joined.',
  ),
  join: designed('POST /v1/communities/:id/members', 'Joins a community, or asks to.'),
  leave: designed('DELETE /v1/communities/:id/members/me', 'Leaves a community; its owner cannot.'),
  update: designed(
    'PATCH /v1/communities/:id',
    'Changes a community that the caller owns; what is left out stays.',
  ),
});
