import type { CallableName, LiveName } from '../contract/types.ts';
import type { Handler } from './handler-types.ts';
import { deleteOwnAccount } from './routes/account/delete.ts';
import { exportAccount } from './routes/account/export.ts';
import { campaignAnalytics } from './routes/analytics/campaign.ts';
import { merchantAnalytics } from './routes/analytics/merchant.ts';
import { create as createApiKey } from './routes/api-keys/create.ts';
import { list as listApiKeys } from './routes/api-keys/list.ts';
import { revoke as revokeApiKey } from './routes/api-keys/revoke.ts';
import { rotate as rotateApiKey } from './routes/api-keys/rotate.ts';
import { usage as apiKeyUsage } from './routes/api-keys/usage.ts';
import { prepare as prepareAttestation } from './routes/attestations/prepare.ts';
import { submit as submitAttestation } from './routes/attestations/submit.ts';
import { confirm } from './routes/auth/confirm.ts';
import { nonce } from './routes/auth/nonce.ts';
import { revokeSession } from './routes/auth/revoke-session.ts';
import { session } from './routes/auth/session.ts';
import { sessions } from './routes/auth/sessions.ts';
import { signIn } from './routes/auth/sign-in.ts';
import { signOut } from './routes/auth/sign-out.ts';
import { invoices } from './routes/billing/invoices.ts';
import { summary as billingSummary } from './routes/billing/summary.ts';
import { get as getBlock } from './routes/blocks/get.ts';
import { activity } from './routes/campaigns/activity.ts';
import { deleteDraft } from './routes/campaigns/delete-draft.ts';
import { distributors } from './routes/campaigns/distributors.ts';
import { get as getCampaign } from './routes/campaigns/get.ts';
import { getDraft } from './routes/campaigns/get-draft.ts';
import { list as listCampaigns } from './routes/campaigns/list.ts';
import { mine as myCampaigns } from './routes/campaigns/mine.ts';
import { policy } from './routes/campaigns/policy.ts';
import { prepareCreate } from './routes/campaigns/prepare-create.ts';
import { saveDraft } from './routes/campaigns/save-draft.ts';
import { stats } from './routes/campaigns/stats.ts';
import { updateSettings } from './routes/campaigns/update-settings.ts';
import { attachTransaction } from './routes/checkout/attach-transaction.ts';
import { createIntent } from './routes/checkout/create-intent.ts';
import { getIntent } from './routes/checkout/get-intent.ts';
import { preview } from './routes/checkout/preview.ts';
import { exposure } from './routes/disputes/exposure.ts';
import { get as getDispute } from './routes/disputes/get.ts';
import { list as listDisputes } from './routes/disputes/list.ts';
import { open as openDispute } from './routes/disputes/open.ts';
import { respond as respondToDispute } from './routes/disputes/respond.ts';
import { get as getDistributor } from './routes/distributors/get.ts';
import { list as listDistributors } from './routes/distributors/list.ts';
import { byCampaign } from './routes/earnings/by-campaign.ts';
import { byConversion } from './routes/earnings/by-conversion.ts';
import { claimable } from './routes/earnings/claimable.ts';
import { claims } from './routes/earnings/claims.ts';
import { credits } from './routes/earnings/credits.ts';
import { missed } from './routes/earnings/missed.ts';
import { summary as earningsSummary } from './routes/earnings/summary.ts';
import { list as listEvents } from './routes/events/list.ts';
import { types as eventTypes } from './routes/events/types.ts';
import { access } from './routes/fulfillment/access.ts';
import { ancestry } from './routes/graph/ancestry.ts';
import { forCampaign as graphForCampaign } from './routes/graph/for-campaign.ts';
import { mine as myGraph } from './routes/graph/mine.ts';
import { salePath } from './routes/graph/sale-path.ts';
import { search } from './routes/graph/search.ts';
import { cancel as cancelIntent } from './routes/intents/cancel.ts';
import { list as listIntents } from './routes/intents/list.ts';
import { get as getInvitation } from './routes/invitations/get.ts';
import { mine as myInvitations } from './routes/invitations/mine.ts';
import { respond as respondToInvitation } from './routes/invitations/respond.ts';
import { send as sendInvitation } from './routes/invitations/send.ts';
import { sent as sentInvitations } from './routes/invitations/sent.ts';
import { withdraw as withdrawInvitation } from './routes/invitations/withdraw.ts';
import { balances as balancesLedger } from './routes/ledger/balances.ts';
import { discrepancies as discrepanciesLedger } from './routes/ledger/discrepancies.ts';
import { entries as entriesLedger } from './routes/ledger/entries.ts';
import { get as getLink } from './routes/links/get.ts';
import { joinPreview } from './routes/links/join-preview.ts';
import { label as labelLink } from './routes/links/label.ts';
import { mine as myLinks } from './routes/links/mine.ts';
import { stats as linkStats } from './routes/links/stats.ts';
import { receipts as receiptsLookups } from './routes/lookups/receipts.ts';
import { close as closeMerchant } from './routes/merchants/close.ts';
import { get as getMerchant } from './routes/merchants/get.ts';
import { list as listMerchants } from './routes/merchants/list.ts';
import { me as merchantMe } from './routes/merchants/me.ts';
import { offers } from './routes/merchants/offers.ts';
import { record } from './routes/merchants/record.ts';
import { removeLogo } from './routes/merchants/remove-logo.ts';
import { setup as setupMerchant } from './routes/merchants/setup.ts';
import { slugAvailable } from './routes/merchants/slug-available.ts';
import { update as updateMerchant } from './routes/merchants/update.ts';
import { uploadLogo } from './routes/merchants/upload-logo.ts';
import { get as getMetadata } from './routes/metadata/get.ts';
import { hide, unhide } from './routes/moderation/decide.ts';
import { log as moderationLog } from './routes/moderation/log.ts';
import { list as listNotifications } from './routes/notifications/list.ts';
import { preferences } from './routes/notifications/preferences.ts';
import { setPreferences } from './routes/notifications/set-preferences.ts';
import { allowAttester } from './routes/operations/allow-attester.ts';
import { allowDistributors } from './routes/operations/allow-distributors.ts';
import { end } from './routes/operations/end.ts';
import { finalize } from './routes/operations/finalize.ts';
import { fund } from './routes/operations/fund.ts';
import { pause } from './routes/operations/pause.ts';
import { priceVariant } from './routes/operations/price-variant.ts';
import { raiseCapacity } from './routes/operations/raise-capacity.ts';
import { refund } from './routes/operations/refund.ts';
import { resume } from './routes/operations/resume.ts';
import { reverse } from './routes/operations/reverse.ts';
import { schedulePolicy } from './routes/operations/schedule-policy.ts';
import { get as getOrder } from './routes/orders/get.ts';
import { list as listOrders } from './routes/orders/list.ts';
import { get as getPartner } from './routes/partners/get.ts';
import { list as listPartners } from './routes/partners/list.ts';
import { sales as partnerSales } from './routes/partners/sales.ts';
import { prepareAll } from './routes/payouts/prepare-all.ts';
import { list as listPermissions } from './routes/permissions/list.ts';
import { list as listPolicies } from './routes/policies/list.ts';
import { list as listPrices } from './routes/prices/list.ts';
import { categories } from './routes/products/categories.ts';
import { get as getProduct } from './routes/products/get.ts';
import { list as listProducts } from './routes/products/list.ts';
import { remove as removeProduct } from './routes/products/remove.ts';
import { save as saveProduct } from './routes/products/save.ts';
import { uploadAsset } from './routes/products/upload-asset.ts';
import { bundle } from './routes/receipts/bundle.ts';
import { events } from './routes/receipts/events.ts';
import { forBuyer } from './routes/receipts/for-buyer.ts';
import { forCampaign } from './routes/receipts/for-campaign.ts';
import { forMerchant } from './routes/receipts/for-merchant.ts';
import { get as getReceipt } from './routes/receipts/get.ts';
import { recent } from './routes/receipts/recent.ts';
import { verify } from './routes/receipts/verify.ts';
import { get as getReferral } from './routes/referrals/get.ts';
import { open as openReferral } from './routes/referrals/open.ts';
import { get as getRefundRequest } from './routes/refund-requests/get.ts';
import { list as listRefundRequests } from './routes/refund-requests/list.ts';
import { respond as respondToMerchant } from './routes/refund-requests/respond.ts';
import { withdraw as withdrawRefundRequest } from './routes/refund-requests/withdraw.ts';
import { exportReport } from './routes/reports/export.ts';
import { getReport } from './routes/reports/get.ts';
import { listOwnReports } from './routes/reports/list.ts';
import { previewReport } from './routes/reports/preview.ts';
import { removeReport } from './routes/reports/remove.ts';
import { get as getReputation } from './routes/reputation/get.ts';
import { mine as myReputation } from './routes/reputation/mine.ts';
import { updateVisibility } from './routes/reputation/update-visibility.ts';
import { find as findSearch } from './routes/search/find.ts';
import { csv as statementCsv } from './routes/statements/csv.ts';
import { earnings as earningsStatement } from './routes/statements/earnings.ts';
import { deleteTemplate } from './routes/studio/delete-template.ts';
import { saveTemplate } from './routes/studio/save-template.ts';
import { simulate } from './routes/studio/simulate.ts';
import { templates } from './routes/studio/templates.ts';
import { activity as systemActivity } from './routes/system/activity.ts';
import { audit } from './routes/system/audit.ts';
import { digest } from './routes/system/digest.ts';
import { digestEvents } from './routes/system/digest-events.ts';
import { endpoints } from './routes/system/endpoints.ts';
import { status } from './routes/system/status.ts';
import { audit as teamAudit } from './routes/team/audit.ts';
import { invite as inviteMember } from './routes/team/invite.ts';
import { members } from './routes/team/members.ts';
import { mine as myMerchants } from './routes/team/mine.ts';
import { remove as removeMember } from './routes/team/remove.ts';
import { transferOwnership } from './routes/team/transfer-ownership.ts';
import { updateRole } from './routes/team/update-role.ts';
import { list as listTokens } from './routes/tokens/list.ts';
import { get as getTransaction } from './routes/transactions/get.ts';
import { get as getVault } from './routes/vault/get.ts';
import { movements } from './routes/vault/movements.ts';
import { get as getVersions } from './routes/versions/get.ts';
import { list as listVersions } from './routes/versions/list.ts';
import { create as createWebhook } from './routes/webhooks/create.ts';
import { deliveries as webhookDeliveries } from './routes/webhooks/deliveries.ts';
import { delivery as webhookDelivery } from './routes/webhooks/delivery.ts';
import { list as listWebhooks } from './routes/webhooks/list.ts';
import { remove as removeWebhook } from './routes/webhooks/remove.ts';
import { replay as replayWebhook } from './routes/webhooks/replay.ts';
import { replayRange } from './routes/webhooks/replay-range.ts';
import { rotateSecret } from './routes/webhooks/rotate-secret.ts';
import { test as testWebhook } from './routes/webhooks/test.ts';
import { update as updateWebhook } from './routes/webhooks/update.ts';

/**
 * Handler of each method that a deployment may serve. A missing handler does not compile, and neither does one
 * of a designed method.
 */
export const handlers: { readonly [N in LiveName]: HandlerOf<N> } = {
  'campaigns.list': listCampaigns,
  'campaigns.get': getCampaign,
  'campaigns.policy': policy,
  'campaigns.stats': stats,
  'campaigns.activity': activity,
  'campaigns.mine': myCampaigns,
  'campaigns.saveDraft': saveDraft,
  'campaigns.getDraft': getDraft,
  'campaigns.deleteDraft': deleteDraft,
  'campaigns.prepareCreate': prepareCreate,
  'campaigns.updateSettings': updateSettings,
  'campaigns.distributors': distributors,
  'products.get': getProduct,
  'products.categories': categories,
  'merchants.list': listMerchants,
  'merchants.get': getMerchant,
  'merchants.record': record,
  'merchants.offers': offers,
  'studio.simulate': simulate,
  'checkout.preview': preview,
  'checkout.createIntent': createIntent,
  'checkout.getIntent': getIntent,
  'checkout.attachTransaction': attachTransaction,
  'intents.list': listIntents,
  'intents.cancel': cancelIntent,
  'disputes.open': openDispute,
  'disputes.list': listDisputes,
  'disputes.get': getDispute,
  'disputes.respond': respondToDispute,
  'disputes.exposure': exposure,
  'refundRequests.list': listRefundRequests,
  'refundRequests.get': getRefundRequest,
  'refundRequests.respond': respondToMerchant,
  'refundRequests.withdraw': withdrawRefundRequest,
  'receipts.get': getReceipt,
  'receipts.events': events,
  'receipts.verify': verify,
  'receipts.bundle': bundle,
  'receipts.recent': recent,
  'receipts.forBuyer': forBuyer,
  'receipts.forMerchant': forMerchant,
  'receipts.forCampaign': forCampaign,
  'orders.list': listOrders,
  'orders.get': getOrder,
  'fulfillment.access': access,
  'earnings.summary': earningsSummary,
  'earnings.byCampaign': byCampaign,
  'earnings.byConversion': byConversion,
  'earnings.missed': missed,
  'earnings.claimable': claimable,
  'earnings.claims': claims,
  'earnings.credits': credits,
  'statements.earnings': earningsStatement,
  'statements.csv': statementCsv,
  'notifications.list': listNotifications,
  'notifications.preferences': preferences,
  'notifications.setPreferences': setPreferences,
  'payouts.prepareAll': prepareAll,
  'vault.get': getVault,
  'vault.movements': movements,
  'operations.finalize': finalize,
  'operations.pause': pause,
  'operations.resume': resume,
  'operations.end': end,
  'operations.schedulePolicy': schedulePolicy,
  'operations.priceVariant': priceVariant,
  'operations.fund': fund,
  'operations.raiseCapacity': raiseCapacity,
  'operations.allowDistributors': allowDistributors,
  'operations.allowAttester': allowAttester,
  'operations.refund': refund,
  'operations.reverse': reverse,
  'attestations.prepare': prepareAttestation,
  'attestations.submit': submitAttestation,
  'links.mine': myLinks,
  'links.get': getLink,
  'links.joinPreview': joinPreview,
  'links.stats': linkStats,
  'links.label': labelLink,
  'referrals.get': getReferral,
  'referrals.open': openReferral,
  'graph.forCampaign': graphForCampaign,
  'graph.mine': myGraph,
  'graph.ancestry': ancestry,
  'graph.salePath': salePath,
  'graph.search': search,
  'reports.export': exportReport,
  'reports.preview': previewReport,
  'reports.list': listOwnReports,
  'reports.get': getReport,
  'reports.remove': removeReport,
  'reputation.get': getReputation,
  'reputation.mine': myReputation,
  'reputation.updateVisibility': updateVisibility,
  'distributors.list': listDistributors,
  'distributors.get': getDistributor,
  'invitations.send': sendInvitation,
  'invitations.sent': sentInvitations,
  'invitations.mine': myInvitations,
  'invitations.get': getInvitation,
  'invitations.respond': respondToInvitation,
  'invitations.withdraw': withdrawInvitation,
  'analytics.merchant': merchantAnalytics,
  'analytics.campaign': campaignAnalytics,
  'partners.list': listPartners,
  'partners.get': getPartner,
  'apiKeys.list': listApiKeys,
  'apiKeys.create': createApiKey,
  'apiKeys.rotate': rotateApiKey,
  'apiKeys.revoke': revokeApiKey,
  'apiKeys.usage': apiKeyUsage,
  'webhooks.list': listWebhooks,
  'webhooks.create': createWebhook,
  'webhooks.test': testWebhook,
  'webhooks.deliveries': webhookDeliveries,
  'webhooks.delivery': webhookDelivery,
  'webhooks.update': updateWebhook,
  'webhooks.rotateSecret': rotateSecret,
  'webhooks.remove': removeWebhook,
  'webhooks.replay': replayWebhook,
  'webhooks.replayRange': replayRange,
  'team.mine': myMerchants,
  'team.members': members,
  'team.invite': inviteMember,
  'team.updateRole': updateRole,
  'team.remove': removeMember,
  'team.audit': teamAudit,
  'team.transferOwnership': transferOwnership,
  'partners.sales': partnerSales,
  'transactions.get': getTransaction,
  'blocks.get': getBlock,
  'events.list': listEvents,
  'events.types': eventTypes,
  'policies.list': listPolicies,
  'prices.list': listPrices,
  'metadata.get': getMetadata,
  'permissions.list': listPermissions,
  'versions.list': listVersions,
  'versions.get': getVersions,
  'ledger.entries': entriesLedger,
  'ledger.balances': balancesLedger,
  'ledger.discrepancies': discrepanciesLedger,
  'lookups.receipts': receiptsLookups,
  'tokens.list': listTokens,
  'search.find': findSearch,
  'auth.nonce': nonce,
  'auth.signIn': signIn,
  'auth.confirm': confirm,
  'auth.session': session,
  'auth.signOut': signOut,
  'auth.sessions': sessions,
  'auth.revokeSession': revokeSession,
  'account.export': exportAccount,
  'account.delete': deleteOwnAccount,
  'moderation.hide': hide,
  'moderation.unhide': unhide,
  'moderation.log': moderationLog,
  'system.endpoints': endpoints,
  'system.status': status,
  'system.activity': systemActivity,
  'system.audit': audit,
  'system.digest': digest,
  'system.digestEvents': digestEvents,
  'billing.invoices': invoices,
  'billing.summary': billingSummary,
  'merchants.close': closeMerchant,
  'merchants.me': merchantMe,
  'merchants.setup': setupMerchant,
  'merchants.slugAvailable': slugAvailable,
  'merchants.update': updateMerchant,
  'merchants.uploadLogo': uploadLogo,
  'merchants.removeLogo': removeLogo,
  'products.list': listProducts,
  'products.remove': removeProduct,
  'products.save': saveProduct,
  'products.uploadAsset': uploadAsset,
  'studio.deleteTemplate': deleteTemplate,
  'studio.saveTemplate': saveTemplate,
  'studio.templates': templates,
};

/** A method without schemas can have no handler. */
type HandlerOf<N extends LiveName> = N extends CallableName ? Handler<N> : never;
