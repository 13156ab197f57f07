import { designed, resource } from '../define.ts';

// Resources of the specification that are not built (docs/reference/api.md): their methods answer 501.

/** Methods for storefronts and payment processors. */
export const integrations = resource('integrations', {
  about: 'Storefronts and payment processors (designed).',
  caller: 'viewer',
  availability: 'designed',
})({
  list: designed('GET', '/v1/merchant/integrations', {
    summary: 'Storefronts and payment processors of the merchant.',
  }),
  connect: designed('POST', '/v1/merchant/integrations/:provider', {
    caller: 'admin',
    summary: 'Connects a provider. Requires a fresh signature.',
    rights: 'widens',
  }),
  disconnect: designed('DELETE', '/v1/merchant/integrations/:provider', {
    caller: 'admin',
    summary: 'Disconnects a provider.',
    rights: 'narrows',
  }),
  status: designed('GET', '/v1/merchant/integrations/:provider/status', {
    summary: 'How far the orders of a provider are attested and recorded.',
  }),
  reconciliation: designed('GET', '/v1/merchant/integrations/:provider/reconciliation', {
    summary:
      'How far the orders of a provider are attested and recorded, for a period and for campaigns.',
  }),
  resolveMismatch: designed('POST', '/v1/merchant/integrations/mismatches/:id', {
    caller: 'admin',
    summary: 'Resolves a mismatch with a note, which is stored.',
  }),
});

/** Methods for attesters of a merchant. */
export const signers = resource('signers', {
  about: 'Accounts that attest sales (designed).',
  caller: 'viewer',
  availability: 'designed',
})({
  list: designed('GET', '/v1/merchant/signers', {
    summary: 'Accounts that may attest sales for the merchant, and the rules they sign by.',
  }),
  add: designed('POST', '/v1/merchant/signers', {
    caller: 'admin',
    summary: 'Lets an account attest sales, within limits. Requires a fresh signature.',
    rights: 'widens',
  }),
  revoke: designed('DELETE', '/v1/merchant/signers/:id', {
    caller: 'admin',
    summary: 'Revokes the right to attest.',
    rights: 'narrows',
  }),
  attestations: designed('GET', '/v1/merchant/signers/:id/attestations', {
    summary: 'Attestations of a signer, newest first.',
  }),
});

/** Methods for subscriptions of a merchant. */
export const subscriptions = resource('subscriptions', {
  about: 'Products paid by the month or year (designed).',
  caller: 'viewer',
  availability: 'designed',
})({
  list: designed('GET', '/v1/merchant/subscriptions', {
    summary: 'Subscriptions that the merchant sells, newest first.',
  }),
  get: designed('GET', '/v1/merchant/subscriptions/:id', { summary: 'One subscription.' }),
  save: designed('PUT', '/v1/merchant/subscriptions/:id', {
    caller: 'admin',
    summary: 'Creates a subscription, or replaces it completely.',
  }),
});

/** Methods for partnerships of accounts. */
export const partnerships = resource('partnerships', {
  about: 'Long-term agreements with distributors (designed).',
  caller: 'admin',
  availability: 'designed',
})({
  list: designed('GET', '/v1/partnerships', {
    caller: 'viewer',
    summary: 'Partnerships of the caller, newest first.',
  }),
  propose: designed('POST', '/v1/partnerships', {
    summary: 'Proposes a partnership to another account.',
  }),
  respond: designed('POST', '/v1/partnerships/:id/responses', {
    summary: 'Accepts or declines a proposal.',
  }),
  terminate: designed('POST', '/v1/partnerships/:id/terminate', {
    summary: 'Ends a partnership; what was sold stays as it is.',
  }),
});

/** Methods for communities of distributors. */
export const communities = resource('communities', {
  about: 'Groups of distributors (designed).',
  caller: 'account',
  availability: 'designed',
})({
  list: designed('GET', '/v1/communities', {
    summary: 'Communities of distributors, newest first.',
  }),
  get: designed('GET', '/v1/communities/:id', { summary: 'A community.' }),
  create: designed('POST', '/v1/communities', {
    summary: 'Founds a community; the caller owns it.',
  }),
  members: designed('GET', '/v1/communities/:id/members', {
    summary: 'Members of a community, in the order in which they joined.',
  }),
  join: designed('POST', '/v1/communities/:id/members', {
    summary: 'Joins a community, or asks to.',
  }),
  leave: designed('DELETE', '/v1/communities/:id/members/me', {
    summary: 'Leaves a community; its owner cannot.',
  }),
  update: designed('PATCH', '/v1/communities/:id', {
    summary: 'Changes a community that the caller owns; what is left out stays.',
  }),
});
