import type { WebhookBody } from '../../core/webhook-message.ts';
import { webhookHeaders } from '../../jobs/webhooks/sign.ts';
import { version } from '../../version.ts';

/** Milliseconds that a receiver has to answer. */
const TIMEOUT_MS = 15_000;

/** Result of one attempt to send a webhook. */
export interface PostResult {
  /** HTTP status; `null` if there was no answer. */
  readonly status: number | null;
  /** Why there was no answer; `null` if there was one. */
  readonly reason: string | null;
  readonly ms: number;
}

/** Receiver of webhooks, and the secret that it checks signatures with. */
export interface Receiver {
  readonly url: string;
  /** `whsec_` and base64. */
  readonly secret: string;
}

/** True if the receiver has accepted a webhook. */
export function isAccepted({ status }: PostResult): boolean {
  return status !== null && status >= 200 && status < 300;
}

/**
 * Sends a webhook, signed as Standard Webhooks defines it. Does not follow redirects, and does not read the
 * body of the answer.
 * @throws the reason of the signal if it aborts; never for an error of the network.
 */
export async function postWebhook(
  { url, secret }: Receiver,
  body: WebhookBody,
  signal: AbortSignal,
): Promise<PostResult> {
  const text = JSON.stringify(body);
  const id = body.data.eventId;
  const headers = {
    ...webhookHeaders({ id, timestamp: new Date(), body: text, secrets: [secret] }),
    'user-agent': `Tributary-Webhooks/${version} (tributary listen)`,
  };
  const started = performance.now();
  const elapsed = () => Math.round(performance.now() - started);
  try {
    const response = await fetch(url, {
      ...{ method: 'POST', headers, body: text, redirect: 'manual' },
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    await response.body?.cancel();
    return { status: response.status, reason: null, ms: elapsed() };
  } catch (error) {
    signal.throwIfAborted();
    return { status: null, reason: reasonOf(error), ms: elapsed() };
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return `no answer within ${TIMEOUT_MS / 1_000} s`;
  const { cause } = error;
  if (!(cause instanceof Error)) return error.message;
  return 'code' in cause ? String(cause.code) : cause.message;
}
