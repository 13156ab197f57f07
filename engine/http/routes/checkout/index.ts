export { attachTransaction } from './attach-transaction.ts';
export { createIntent } from './create-intent.ts';
export { getDetails } from './get-details.ts';
export { getIntent } from './get-intent.ts';
export { prepareOrder } from './prepare-order.ts';
export { preview } from './preview.ts';
export { saveDetails } from './save-details.ts';
export { submitOrder } from './submit-order.ts';
