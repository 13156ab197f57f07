import { WebhookMessage } from '../contract/shapes/webhook.ts';

/** Reason why a webhook was refused, for programs. */
export type WebhookIssue =
  /** Secret of the receiver: none, or malformed. */
  | 'BAD_SECRET'
  /** Header of the request: missing or malformed. */
  | 'BAD_HEADER'
  /** Time of the request: too old or in the future. */
  | 'OUTSIDE_TOLERANCE'
  /** Signature: made with another secret, or for another body. */
  | 'WRONG_SIGNATURE'
  /** Body: signed, but no message of a known form. */
  | 'BAD_BODY';

/** Thrown if a webhook cannot be trusted or read. The message is a sentence. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
  readonly code: WebhookIssue;

  constructor(code: WebhookIssue, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Parts of a received request. The body must be exactly as received: not parsed and written again. */
export interface ReceivedWebhook {
  readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string | Uint8Array;
}

/** Options of `verifyWebhook`. */
export interface VerifyWebhookOptions {
  /** Largest difference between the time of the request and now, seconds. Default: 5 minutes. */
  readonly toleranceSeconds?: number;
  /** Milliseconds since 1970. Default: `Date.now`. */
  readonly now?: () => number;
}

type HmacKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

const TOLERANCE_SECONDS = 300;
const PREFIX = 'whsec_';

/**
 * Verifies the signature of a webhook and reads its message (docs/use/webhooks.md#receiving). Fields that a
 * newer service adds are returned, too. The same event may arrive more than once: its id is `data.eventId`.
 * @param secrets secret of the endpoint; during a rotation, the new one and the old one.
 * @throws {WebhookVerificationError} if the request is not to be trusted, or has no valid message.
 *
 * @example
 * const { type, data } = await verifyWebhook(request, secret);
 */
export async function verifyWebhook(
  request: Request | ReceivedWebhook,
  secrets: string | readonly string[],
  options: VerifyWebhookOptions = {},
): Promise<WebhookMessage> {
  const { toleranceSeconds = TOLERANCE_SECONDS, now = Date.now } = options;
  const keys = await Promise.all([secrets].flat().map(keyOf));
  if (keys.length === 0) throw new WebhookVerificationError('BAD_SECRET', 'There is no secret.');
  const id = headerOf(request.headers, 'webhook-id');
  const timestamp = headerOf(request.headers, 'webhook-timestamp');
  const signatures = signaturesOf(headerOf(request.headers, 'webhook-signature'));
  checkTime(timestamp, now() / 1_000, toleranceSeconds);

  const body = await bodyOf(request);
  const prefix = new TextEncoder().encode(`${id}.${timestamp}.`);
  const signed = new Uint8Array(prefix.length + body.length);
  signed.set(prefix);
  signed.set(body, prefix.length);
  if (!(await isSignedByAny(keys, signatures, signed))) {
    const message = 'No signature of the webhook was made with this secret for this body.';
    throw new WebhookVerificationError('WRONG_SIGNATURE', message);
  }
  return messageOf(new TextDecoder().decode(body));
}

async function keyOf(secret: string): Promise<HmacKey> {
  const bytes = fromBase64(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret);
  if (bytes === undefined || bytes.length === 0) {
    const message = `A secret is malformed: it must be ${PREFIX} and base64.`;
    throw new WebhookVerificationError('BAD_SECRET', message);
  }
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  return await crypto.subtle.importKey('raw', bytes, algorithm, false, ['verify']);
}

function headerOf(headers: ReceivedWebhook['headers'], name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : namedValue(headers, name);
  if (typeof value === 'string' && value !== '') return value;
  throw new WebhookVerificationError('BAD_HEADER', `The header ${name} is missing.`);
}

function namedValue(headers: Exclude<ReceivedWebhook['headers'], Headers>, name: string): unknown {
  const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  return Array.isArray(found) ? found[0] : found;
}

/** Signatures of version 1, decoded. Other versions are for other receivers. */
function signaturesOf(header: string): Uint8Array<ArrayBuffer>[] {
  return header
    .split(' ')
    .filter((signature) => signature.startsWith('v1,'))
    .flatMap((signature) => fromBase64(signature.slice(3)) ?? []);
}

function checkTime(timestamp: string, now: number, toleranceSeconds: number): void {
  if (!/^[0-9]{1,12}$/.test(timestamp)) {
    const message = 'The header webhook-timestamp must be seconds since 1970.';
    throw new WebhookVerificationError('BAD_HEADER', message);
  }
  const age = now - Number(timestamp);
  if (Math.abs(age) <= toleranceSeconds) return;
  const direction = age > 0 ? 'too old' : 'in the future';
  const message = `The webhook is ${direction}: more than ${toleranceSeconds} seconds from now.`;
  throw new WebhookVerificationError('OUTSIDE_TOLERANCE', message);
}

async function bodyOf(request: Request | ReceivedWebhook): Promise<Uint8Array> {
  if (request instanceof Request) return new Uint8Array(await request.arrayBuffer());
  const { body } = request;
  return typeof body === 'string' ? new TextEncoder().encode(body) : body;
}

async function isSignedByAny(
  keys: readonly HmacKey[],
  signatures: readonly Uint8Array<ArrayBuffer>[],
  signed: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  for (const key of keys) {
    for (const signature of signatures) {
      // It compares in constant time.
      if (await crypto.subtle.verify('HMAC', key, signature, signed)) return true;
    }
  }
  return false;
}

function messageOf(body: string): WebhookMessage {
  let message: unknown;
  try {
    message = JSON.parse(body);
  } catch (cause) {
    throw new WebhookVerificationError('BAD_BODY', 'The body is no JSON.', { cause });
  }
  const { error } = WebhookMessage.safeParse(message);
  const issue = error?.issues.find(({ code }) => code !== 'unrecognized_keys');
  if (issue === undefined) return message as WebhookMessage;
  const sentence = `The body is no webhook message: ${issue.path.join('.')} ${issue.message}.`;
  throw new WebhookVerificationError('BAD_BODY', sentence, { cause: error });
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}
