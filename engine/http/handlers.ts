import type { CallableName, LiveName } from '../contract/types.ts';
import type { Handler } from './handler.ts';
import type { NotYetBuilt } from './not-yet-built.ts';
import { confirm } from './routes/auth/confirm.ts';
import { nonce } from './routes/auth/nonce.ts';
import { revokeSession } from './routes/auth/revoke-session.ts';
import { session } from './routes/auth/session.ts';
import { sessions } from './routes/auth/sessions.ts';
import { signIn } from './routes/auth/sign-in.ts';
import { signOut } from './routes/auth/sign-out.ts';
import { activity } from './routes/campaigns/activity.ts';
import { get as getCampaign } from './routes/campaigns/get.ts';
import { list as listCampaigns } from './routes/campaigns/list.ts';
import { policy } from './routes/campaigns/policy.ts';
import { stats } from './routes/campaigns/stats.ts';
import { preview } from './routes/checkout/preview.ts';
import { get as getDistributor } from './routes/distributors/get.ts';
import { list as listDistributors } from './routes/distributors/list.ts';
import { ancestry } from './routes/graph/ancestry.ts';
import { forCampaign as graphForCampaign } from './routes/graph/for-campaign.ts';
import { salePath } from './routes/graph/sale-path.ts';
import { search } from './routes/graph/search.ts';
import { get as getLink } from './routes/links/get.ts';
import { get as getMerchant } from './routes/merchants/get.ts';
import { offers } from './routes/merchants/offers.ts';
import { record } from './routes/merchants/record.ts';
import { hide, unhide } from './routes/moderation/decide.ts';
import { log as moderationLog } from './routes/moderation/log.ts';
import { categories } from './routes/products/categories.ts';
import { get as getProduct } from './routes/products/get.ts';
import { events } from './routes/receipts/events.ts';
import { forCampaign } from './routes/receipts/for-campaign.ts';
import { get as getReceipt } from './routes/receipts/get.ts';
import { recent } from './routes/receipts/recent.ts';
import { verify } from './routes/receipts/verify.ts';
import { get as getReferral } from './routes/referrals/get.ts';
import { open as openReferral } from './routes/referrals/open.ts';
import { get as getReputation } from './routes/reputation/get.ts';
import { simulate } from './routes/studio/simulate.ts';
import { endpoints } from './routes/system/endpoints.ts';
import { status } from './routes/system/status.ts';

/**
 * A handler for each live method that is built. A live method that is neither here nor in
 * `notYetBuilt` does not compile; nor does one in both, nor a designed one here.
 */
export const handlers: { readonly [N in Exclude<LiveName, NotYetBuilt>]: HandlerOf<N> } = {
  'campaigns.list': listCampaigns,
  'campaigns.get': getCampaign,
  'campaigns.policy': policy,
  'campaigns.stats': stats,
  'campaigns.activity': activity,
  'products.get': getProduct,
  'products.categories': categories,
  'merchants.get': getMerchant,
  'merchants.record': record,
  'merchants.offers': offers,
  'studio.simulate': simulate,
  'checkout.preview': preview,
  'receipts.get': getReceipt,
  'receipts.events': events,
  'receipts.verify': verify,
  'receipts.recent': recent,
  'receipts.forCampaign': forCampaign,
  'links.get': getLink,
  'referrals.get': getReferral,
  'referrals.open': openReferral,
  'graph.forCampaign': graphForCampaign,
  'graph.ancestry': ancestry,
  'graph.salePath': salePath,
  'graph.search': search,
  'reputation.get': getReputation,
  'distributors.list': listDistributors,
  'distributors.get': getDistributor,
  'auth.nonce': nonce,
  'auth.signIn': signIn,
  'auth.confirm': confirm,
  'auth.session': session,
  'auth.signOut': signOut,
  'auth.sessions': sessions,
  'auth.revokeSession': revokeSession,
  'moderation.hide': hide,
  'moderation.unhide': unhide,
  'moderation.log': moderationLog,
  'system.endpoints': endpoints,
  'system.status': status,
};

/** A method without schemas can have no handler. */
type HandlerOf<N extends LiveName> = N extends CallableName ? Handler<N> : never;
