import { pathOf } from '../../../../engine/contract/pages.ts';

const inSection = (section: string, query: Readonly<Record<string, string>>) =>
  `${pathOf('consoleSection', { section })}?${new URLSearchParams(query)}`;

/** The page of one product in the console. */
export const pathOfProduct = (product: string) => inSection('products', { product });

/** The page of one campaign in the console; `tab` names a part of it. */
export const pathOfCampaign = (campaign: string, more: Readonly<Record<string, string>> = {}) =>
  inSection('campaigns', { campaign, ...more });

/** An operation on a campaign: `pause`. */
export const pathOfOperation = (campaign: string, operation: string) =>
  pathOfCampaign(campaign, { tab: 'operations', operation });

/** The wizard with a draft. */
export const pathOfDraft = (draft: string) => inSection('campaigns', { draft });

/** The page of one webhook endpoint. */
export const pathOfWebhook = (endpoint: string) => inSection('webhooks', { endpoint });
