import { createHash, timingSafeEqual } from 'node:crypto';

/**
 * True if the header `Authorization` carries the token, or if no token is required. The comparison takes
 * the same time for every wrong token.
 */
export function isAuthorized(header: string | undefined, token: string | undefined): boolean {
  if (token === undefined) return true;
  const sent = /^Bearer +(\S+)$/i.exec(header ?? '')?.[1] ?? '';
  return timingSafeEqual(digest(sent), digest(token));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
