import {
  createSiweMessage,
  parseSiweMessage,
  type SiweMessage,
  validateSiweMessage,
} from 'viem/siwe';
import { HttpError, invalidField } from '../errors.ts';
import { NONCE_SECONDS } from './times.ts';

/** Seconds that a signer's clock may be ahead of ours. */
const CLOCK_SKEW_SECONDS = 60;

/** Deployment, origins and time that a sign-in message must match. */
export interface SignInContext {
  readonly chainId: number;
  readonly allowedOrigins: readonly string[];
  /** Header `Origin` of the request, if it has one. */
  readonly origin: string | undefined;
  readonly now: Date;
}

/**
 * Reads an EIP-4361 message. Except for the format of its times, it must equal the text that its fields
 * produce, so that it contains nothing that the checks do not see.
 * @throws {HttpError} VALIDATION_FAILED naming `message` if it is not such a message.
 */
export function readMessage(text: string): SiweMessage {
  const fields = parseSiweMessage(text);
  const { address, domain, uri, nonce, chainId, issuedAt, version } = fields;
  const whole = address && domain && uri && nonce && chainId !== undefined && issuedAt;
  if (!whole || version !== '1') throw notAMessage();
  const times = [issuedAt, fields.expirationTime, fields.notBefore];
  if (times.some((time) => time !== undefined && Number.isNaN(time.getTime()))) throw notAMessage();
  const message = { ...fields, address, domain, uri, nonce, chainId, issuedAt, version };
  if (withoutTimes(canonical(message)) !== withoutTimes(text)) throw notAMessage();
  return message;
}

/**
 * Checks a message except its nonce and signature: origin, domain, URI, scheme, chain and times.
 * @throws {HttpError} UNAUTHENTICATED with the reason.
 */
export function checkMessage(message: SiweMessage, context: SignInContext): void {
  const { chainId, allowedOrigins, origin, now } = context;
  const from = originOf(message.uri);
  if (from === undefined || !allowedOrigins.includes(from)) {
    throw refused('The URI of the message is not of an origin that may sign in here.');
  }
  const { host, protocol } = new URL(from);
  const { domain, scheme } = message;
  if (domain !== host) throw refused('The domain of the message is not the one of its URI.');
  if (scheme !== undefined && `${scheme}:` !== protocol) {
    throw refused('The scheme of the message is not the one of its URI.');
  }
  if (origin !== undefined && origin !== from) {
    throw refused('The message was signed for another origin than the one that sends it.');
  }
  if (message.chainId !== chainId) {
    throw refused(`The message is for chain ${message.chainId}: sign one for chain ${chainId}.`);
  }
  checkTimes(message, now);
}

function checkTimes(message: SiweMessage, now: Date): void {
  const age = (now.getTime() - (message.issuedAt?.getTime() ?? 0)) / 1_000;
  if (age < -CLOCK_SKEW_SECONDS) throw refused('The message was issued in the future.');
  if (age > NONCE_SECONDS) throw refused('The message is too old: sign a new one.');
  const { address, domain, nonce } = message;
  if (!validateSiweMessage({ message, address, domain, nonce, time: now })) {
    throw refused('The message is expired, or not valid yet: sign a new one.');
  }
}

function canonical(message: SiweMessage): string {
  try {
    return createSiweMessage(message);
  } catch {
    throw notAMessage();
  }
}

/** Removes the times: wallets write them with or without milliseconds, and in different time zones. */
function withoutTimes(text: string): string {
  return text.replace(/^(Issued At|Expiration Time|Not Before): .*$/gm, '$1');
}

function originOf(uri: string): string | undefined {
  return URL.canParse(uri) ? new URL(uri).origin : undefined;
}

function notAMessage(): HttpError {
  return invalidField('message', 'is not an EIP-4361 message');
}

function refused(sentence: string): HttpError {
  return new HttpError('UNAUTHENTICATED', sentence);
}
