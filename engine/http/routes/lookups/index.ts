export { names } from './names.ts';
export { receipts } from './receipts.ts';
