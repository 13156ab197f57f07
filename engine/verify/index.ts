export { readable, unknownToken } from './readable.ts';
export { type CheckName, checkNames, type ReceiptVerdict, type Verification } from './types.ts';
export { VerifyInputError, verifySale } from './verify-sale.ts';
export { checkWebhookEvent, type WebhookEvent } from './webhook-event.ts';
