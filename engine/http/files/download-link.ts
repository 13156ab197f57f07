import type { OrderRef } from '../../db/read/order-sale.ts';
import type { AppDeps } from '../deps.ts';
import { readSignedLink, signLink } from './signed-link.ts';

/** Milliseconds for which a link to a download is good. */
export const DOWNLOAD_MS = 15 * 60_000;

/** A file, and the order that bought it. */
export interface Download {
  readonly assetId: string;
  readonly order: OrderRef;
}

/**
 * The address of a download, for whoever holds it until it expires.
 * @param expiresAt unix milliseconds.
 */
export function downloadUrl(
  { keys, publicUrl }: Pick<AppDeps, 'keys' | 'publicUrl'>,
  { assetId, order }: Download,
  expiresAt: number,
): string {
  const payload = [assetId, order.campaignId, order.buyer, order.orderKey];
  const token = signLink(keys, { purpose: 'fulfillment', payload, expiresAt });
  return `${publicUrl}/downloads/${token}`;
}

/** @returns `undefined` where the token is forged or out of time. */
export function readDownload(
  { keys, clock }: Pick<AppDeps, 'keys' | 'clock'>,
  token: string,
): Download | undefined {
  const payload = readSignedLink(keys, 'fulfillment', token, clock());
  if (payload === undefined) return undefined;
  const [assetId = '', campaignId = '', buyer = '', orderKey = ''] = payload;
  return { assetId, order: { campaignId, buyer: hexOf(buyer), orderKey: hexOf(orderKey) } };
}

/** It was signed here, so it has its 0x. */
function hexOf(text: string): `0x${string}` {
  return `0x${text.slice(2)}`;
}
