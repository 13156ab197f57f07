export { attachTransaction } from './attach-transaction.ts';
export { createIntent } from './create-intent.ts';
export { getIntent } from './get-intent.ts';
export { prepareOrder } from './prepare-order.ts';
export { preview } from './preview.ts';
export { submitOrder } from './submit-order.ts';
