import { createHmac } from 'node:crypto';
import { decodeReferralCode, encodeReferralCode } from '../../../core/referral-code.ts';
import { notFound } from '../../errors.ts';
import { networkOf } from '../../network-address.ts';

/**
 * Node of a referral code, and the code in its canonical form.
 * @throws {HttpError} NOT_FOUND if it is not a code; input validation already rejects most of these.
 */
export function namedBy(written: string): { readonly code: string; readonly nodeId: string } {
  const nodeId = decodeReferralCode(written);
  const code = nodeId === undefined ? undefined : encodeReferralCode(nodeId);
  if (nodeId === undefined || code === undefined) {
    throw notFound(`There is no referral ${written}.`);
  }
  return { code, nodeId };
}

const VISITOR_BYTES = 16;

/**
 * Hash of a visitor of a link that cannot be reversed. Its key is random and deleted at the end of the day, and
 * it differs for each link, so it only distinguishes visitors of one link on one day.
 * @param ip address of the caller: only its hash leaves this function.
 */
export function visitorHash(key: Uint8Array, link: string, ip: string): Uint8Array {
  const hash = createHmac('sha256', key)
    .update(`${link}\n${networkOf(ip)}`)
    .digest();
  return hash.subarray(0, VISITOR_BYTES);
}
