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

/** Address of the form that invites an account; the account is filled in if it is named. */
export function invitePath(address?: string): string {
  return `${sectionPath('invitations')}${address === undefined ? '' : `?to=${address}`}`;
}
