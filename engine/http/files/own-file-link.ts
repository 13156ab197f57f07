import type { AppDeps } from '../deps.ts';
import { DOWNLOAD_MS } from './download-link.ts';
import { readSignedLink, signLink } from './signed-link.ts';

/**
 * URL of a file for the merchant that uploaded it. Anyone who has the URL can use it until it expires.
 * @param account the merchant, lower case.
 */
export function ownFileUrl(
  { keys, publicUrl, clock }: Pick<AppDeps, 'keys' | 'publicUrl' | 'clock'>,
  account: string,
  assetId: string,
): string {
  const link = { payload: [assetId, account], expiresAt: clock() + DOWNLOAD_MS };
  return `${publicUrl}/downloads/${signLink(keys, { purpose: 'upload', ...link })}`;
}

/** Id of the file that a token names, and the merchant; `undefined` if the token is forged or expired. */
export function readOwnFile(
  { keys, clock }: Pick<AppDeps, 'keys' | 'clock'>,
  token: string,
): { readonly assetId: string; readonly merchant: string } | undefined {
  const [assetId, merchant] = readSignedLink(keys, 'upload', token, clock()) ?? [];
  return assetId === undefined || merchant === undefined ? undefined : { assetId, merchant };
}
