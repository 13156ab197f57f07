// Resources of the specification that are not built: docs/api.md. Their methods answer 501.
import { designed } from '../define.ts';

/** Methods for storefronts and payment processors. */
export const integrations = {
  list: designed(
    'integrations.list',
    'GET /v1/merchant/integrations',
    'viewer',
    'Storefronts and payment processors of the merchant.',
  ),
  connect: designed(
    'integrations.connect',
    'POST /v1/merchant/integrations/:provider',
    'admin',
    'Connects a provider. Requires a fresh signature.',
    'widens',
  ),
  disconnect: designed(
    'integrations.disconnect',
    'DELETE /v1/merchant/integrations/:provider',
    'admin',
    'Disconnects a provider.',
    'narrows',
  ),
  status: designed(
    'integrations.status',
    'GET /v1/merchant/integrations/:provider/status',
    'viewer',
    'How far the orders of a provider are attested and recorded.',
  ),
  reconciliation: designed(
    'integrations.reconciliation',
    'GET /v1/merchant/integrations/:provider/reconciliation',
    'viewer',
    'How far the orders of a provider are attested and recorded, for a period and for campaigns.',
  ),
  resolveMismatch: designed(
    'integrations.resolveMismatch',
    'POST /v1/merchant/integrations/mismatches/:id',
    'admin',
    'Resolves a mismatch with a note, which is stored.',
  ),
} as const;

/** Methods for attesters of a merchant. */
export const signers = {
  list: designed(
    'signers.list',
    'GET /v1/merchant/signers',
    'viewer',
    'Accounts that may attest sales for the merchant, and the rules they sign by.',
  ),
  add: designed(
    'signers.add',
    'POST /v1/merchant/signers',
    'admin',
    'Lets an account attest sales, within limits. Requires a fresh signature.',
    'widens',
  ),
  revoke: designed(
    'signers.revoke',
    'DELETE /v1/merchant/signers/:id',
    'admin',
    'Revokes the right to attest.',
    'narrows',
  ),
  attestations: designed(
    'signers.attestations',
    'GET /v1/merchant/signers/:id/attestations',
    'viewer',
    'Attestations of a signer, newest first.',
  ),
} as const;

/** Methods for subscriptions of a merchant. */
export const subscriptions = {
  list: designed(
    'subscriptions.list',
    'GET /v1/merchant/subscriptions',
    'viewer',
    'Subscriptions that the merchant sells, newest first.',
  ),
  get: designed(
    'subscriptions.get',
    'GET /v1/merchant/subscriptions/:id',
    'viewer',
    'One subscription.',
  ),
  save: designed(
    'subscriptions.save',
    'PUT /v1/merchant/subscriptions/:id',
    'admin',
    'Creates a subscription, or replaces it completely.',
  ),
} as const;

/** Methods for partnerships of accounts. */
export const partnerships = {
  list: designed(
    'partnerships.list',
    'GET /v1/partnerships',
    'viewer',
    'Partnerships of the caller, newest first.',
  ),
  propose: designed(
    'partnerships.propose',
    'POST /v1/partnerships',
    'admin',
    'Proposes a partnership to another account.',
  ),
  respond: designed(
    'partnerships.respond',
    'POST /v1/partnerships/:id/responses',
    'admin',
    'Accepts or declines a proposal.',
  ),
  terminate: designed(
    'partnerships.terminate',
    'POST /v1/partnerships/:id/terminate',
    'admin',
    'Ends a partnership; what was sold stays as it is.',
  ),
} as const;

/** Methods for communities of distributors. */
export const communities = {
  list: designed(
    'communities.list',
    'GET /v1/communities',
    'account',
    'Communities of distributors, newest first.',
  ),
  get: designed('communities.get', 'GET /v1/communities/:id', 'account', 'A community.'),
  create: designed(
    'communities.create',
    'POST /v1/communities',
    'account',
    'Founds a community; the caller owns it.',
  ),
  members: designed(
    'communities.members',
    'GET /v1/communities/:id/members',
    'account',
    'Members of a community, in the order in which they joined.',
  ),
  join: designed(
    'communities.join',
    'POST /v1/communities/:id/members',
    'account',
    'Joins a community, or asks to.',
  ),
  leave: designed(
    'communities.leave',
    'DELETE /v1/communities/:id/members/me',
    'account',
    'Leaves a community; its owner cannot.',
  ),
  update: designed(
    'communities.update',
    'PATCH /v1/communities/:id',
    'account',
    'Changes a community that the caller owns; what is left out stays.',
  ),
} as const;
