import { errors } from 'undici';

/**
 * Thrown if a delivery gets no answer, for a reason that is known. The message is a sentence for the owner
 * of the endpoint: it names no address.
 */
export class SendFailure extends Error {
  override readonly name = 'SendFailure';
}

const CLOSED = 'The connection was closed before an answer came.';
const UNREACHABLE = 'The host cannot be reached.';
const NO_ADDRESS = 'The host name could not be resolved.';
const TOO_SLOW = 'The host did not accept a connection in time.';
const CERTIFICATE = 'The TLS certificate of the host is not valid for it.';

/** Sentences by the code that Node, OpenSSL or undici gives an error. */
const sentences: Readonly<Record<string, string>> = {
  ENOTFOUND: NO_ADDRESS,
  ENODATA: NO_ADDRESS,
  EAI_AGAIN: NO_ADDRESS,
  ECONNREFUSED: 'The host refused the connection.',
  EHOSTUNREACH: UNREACHABLE,
  ENETUNREACH: UNREACHABLE,
  EADDRNOTAVAIL: UNREACHABLE,
  ETIMEDOUT: TOO_SLOW,
  UND_ERR_CONNECT_TIMEOUT: TOO_SLOW,
  ECONNRESET: CLOSED,
  ECONNABORTED: CLOSED,
  EPIPE: CLOSED,
  UND_ERR_SOCKET: CLOSED,
  UND_ERR_HEADERS_OVERFLOW: 'The headers of the answer are too large.',
  UND_ERR_CLOSED: 'The service is stopping.',
  UND_ERR_DESTROYED: 'The service is stopping.',
  CERT_HAS_EXPIRED: 'The TLS certificate of the host has expired.',
  CERT_NOT_YET_VALID: CERTIFICATE,
  CERT_REVOKED: CERTIFICATE,
  DEPTH_ZERO_SELF_SIGNED_CERT: 'The TLS certificate of the host is self-signed.',
  SELF_SIGNED_CERT_IN_CHAIN: 'The TLS certificate of the host is self-signed.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'The TLS certificate is for another host name.',
  UNABLE_TO_GET_ISSUER_CERT: CERTIFICATE,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: CERTIFICATE,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: CERTIFICATE,
  EPROTO: 'No TLS connection could be made.',
};

/** Sentences by the beginning of a code, for codes that are too many to list. */
const families: readonly (readonly [string, string])[] = [
  ['ERR_SSL_', 'No TLS connection could be made.'],
  ['ERR_TLS_', 'No TLS connection could be made.'],
];

/**
 * Says why a delivery failed, as a sentence for the owner of the endpoint. Messages of errors are not used:
 * they may hold addresses of the network.
 */
export function failureSentence(error: unknown): string {
  if (error instanceof SendFailure) return error.message;
  // undici gives no code to some errors of its parser.
  if (error instanceof errors.HTTPParserError) return 'The answer is not valid HTTP.';
  const code = error instanceof Error ? Reflect.get(error, 'code') : undefined;
  if (typeof code !== 'string') return 'The request failed.';
  const known = Object.hasOwn(sentences, code) ? sentences[code] : undefined;
  return known ?? families.find(([start]) => code.startsWith(start))?.[1] ?? 'The request failed.';
}
