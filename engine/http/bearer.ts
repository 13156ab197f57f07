import { createHash, timingSafeEqual } from 'node:crypto';

/** Token in a header `Authorization: Bearer <token>`; `undefined` if the header has another form, or is missing. */
export function bearerToken(header: string | undefined): string | undefined {
  return /^Bearer +(.*)$/i.exec(header ?? '')?.[1];
}

/**
 * True if the header `Authorization` carries the token, or if no token is required. The comparison takes
 * the same time for every wrong token.
 */
export function isAuthorized(header: string | undefined, token: string | undefined): boolean {
  if (token === undefined) return true;
  return timingSafeEqual(digest(bearerToken(header) ?? ''), digest(token));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
