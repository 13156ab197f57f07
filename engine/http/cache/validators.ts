import { hash } from 'node:crypto';
import type { ResponseMeta } from '../../contract/envelope.ts';

/** Seconds for which the answer of a final block may be reused without asking: a text in it may be hidden later. */
const FINAL_SECONDS = 86_400;

/** `Cache-Control` of a response that may be stored, but is not used before the service was asked. */
const ASK_FIRST = 'public, no-cache';

/** Headers of a public read for caches and for the next conditional request. */
export interface CacheHeaders {
  readonly etag: string;
  readonly 'cache-control': string;
}

/**
 * Headers for caches (RFC 9110, section 8.8; RFC 9111). The tag is weak: it covers the data and what `meta` says
 * about it, and neither the request's id nor the block that was read. So it stays while blocks pass
 * that change nothing.
 * @param data JSON text of the response's `data`.
 * @param ofBlock the request names the block that it asks about.
 */
export function cacheHeaders(
  data: string,
  { chain, token, otherTokens }: Omit<ResponseMeta, 'requestId'>,
  ofBlock: boolean,
): CacheHeaders {
  const { blockNumber, blockTimestamp, ...said } = chain ?? {};
  const about = JSON.stringify([said, token, otherTokens]);
  const tag = hash('sha1', about + data, 'base64url');
  const isFinal = ofBlock && chain?.finality === 'finalized' && chain.stopped === undefined;
  return {
    etag: `W/"${tag}"`,
    'cache-control': isFinal ? `public, max-age=${FINAL_SECONDS}, immutable` : ASK_FIRST,
  };
}

/** True if `If-None-Match` names that tag; a proxy may have marked it as weak. */
export function namesTag(header: string | undefined, etag: string): boolean {
  const tags = header?.split(',').map((tag) => opaqueOf(tag.trim())) ?? [];
  return tags.includes(opaqueOf(etag)) || tags.includes('*');
}

function opaqueOf(tag: string): string {
  return tag.replace(/^W\//, '');
}
