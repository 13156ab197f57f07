export { invoices } from './invoices.ts';
export { summary } from './summary.ts';
