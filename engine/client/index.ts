export type { WebhookMessage } from '../contract/shapes/webhook.ts';
export {
  type PreparedCall,
  type SafeBatch,
  type SendCallsRequest,
  safeBatch,
  sendCallsRequest,
} from '../contract/wallet-calls.ts';
export { withAttachedCodes } from '../core/calldata-suffix.ts';
export type { Confirm, ConfirmChallenge, ConfirmedCall } from './confirmation.ts';
export { type Client, type ClientOptions, createClient } from './create-client.ts';
export { ApiError } from './error.ts';
export type { RetryOptions } from './retry.ts';
export type { ClientSession } from './session.ts';
export type { StreamState, StreamUpdate } from './stream.ts';
export {
  type ReceivedWebhook,
  type VerifyWebhookOptions,
  verifyWebhook,
  type WebhookIssue,
  WebhookVerificationError,
} from './webhooks.ts';
