import { createHmac } from 'node:crypto';
import { networkOf } from './network-address.ts';

const VISITOR_BYTES = 16;

/**
 * Who opens a link, as a hash that cannot be turned back: keyed by a random key that is thrown away
 * with its day, and different for each link, so that it tells two visitors of one link on one day
 * apart and nothing else.
 * @param ip the caller's address: it goes no further than this function.
 */
export function visitorHash(key: Uint8Array, link: string, ip: string): Uint8Array {
  const hash = createHmac('sha256', key)
    .update(`${link}\n${networkOf(ip)}`)
    .digest();
  return hash.subarray(0, VISITOR_BYTES);
}
