export { attachTransaction } from './attach-transaction.ts';
export { createIntent } from './create-intent.ts';
export { getIntent } from './get-intent.ts';
export { preview } from './preview.ts';
