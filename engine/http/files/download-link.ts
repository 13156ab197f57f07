import type { OrderRef } from '../../db/read/sales/by-order.ts';
import type { AppDeps } from '../deps.ts';
import { readSignedLink, signLink } from './signed-link.ts';

/** Milliseconds for which a link to a download is valid. */
export const DOWNLOAD_MS = 15 * 60_000;

/** A file, and the order that bought it. */
export interface Download {
  readonly assetId: string;
  readonly order: OrderRef;
}

/**
 * URL of a download. Anyone who has it can use it until it expires.
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

/** Download that a token names; `undefined` if the token is forged or expired. */
export function readDownload(
  { keys, clock }: Pick<AppDeps, 'keys' | 'clock'>,
  token: string,
): Download | undefined {
  const payload = readSignedLink(keys, 'fulfillment', token, clock());
  if (payload === undefined) return undefined;
  const [assetId = '', campaignId = '', buyer = '', orderKey = ''] = payload;
  return { assetId, order: { campaignId, buyer: hexOf(buyer), orderKey: hexOf(orderKey) } };
}

/** Hex text of a signed payload, which always begins with 0x. */
function hexOf(text: string): `0x${string}` {
  return `0x${text.slice(2)}`;
}
