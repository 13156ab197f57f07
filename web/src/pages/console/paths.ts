import { pathOf } from '../../../../engine/contract/pages.ts';

/** Address of a section of the console. */
export function sectionPath(section: string): string {
  return pathOf('consoleSection', { section });
}

/** Address of an order in the console. */
export function orderPath(saleId: string): string {
  return `${sectionPath('orders')}?sale=${saleId}`;
}

/** Address of a dispute in the console. */
export function disputePath(id: string): string {
  return `${sectionPath('disputes')}?dispute=${id}`;
}

/** Address of a partner in the console. */
export function partnerPath(address: string): string {
  return `${sectionPath('partners')}?partner=${address}`;
}

/** Address of the form that invites an account; account and campaign are filled in if they are named. */
export function invitePath(address?: string, campaignId?: string): string {
  const params = new URLSearchParams({
    ...(address !== undefined && { to: address }),
    ...(campaignId !== undefined && { campaign: campaignId }),
  });
  return `${sectionPath('invitations')}${params.size === 0 ? '' : `?${params}`}`;
}

/** The page of one product in the console. */
export function productPath(productId: string): string {
  return `${sectionPath('products')}?product=${productId}`;
}

/** The page of one campaign in the console. */
export function campaignPath(campaignId: string): string {
  return `${sectionPath('campaigns')}?campaign=${campaignId}`;
}

/** An operation on a campaign, such as `pause`; without one the page of all operations. */
export function operationPath(campaignId: string, operation?: string): string {
  const page = `${campaignPath(campaignId)}&tab=operations`;
  return operation === undefined ? page : `${page}&operation=${operation}`;
}

/** The wizard with a draft. */
export function draftPath(draftId: string): string {
  return `${sectionPath('campaigns')}?draft=${draftId}`;
}

/** The page of one webhook endpoint. */
export function webhookPath(endpointId: string): string {
  return `${sectionPath('webhooks')}?endpoint=${endpointId}`;
}
