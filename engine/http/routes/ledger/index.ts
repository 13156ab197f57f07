export { balances } from './balances.ts';
export { discrepancies } from './discrepancies.ts';
export { entries } from './entries.ts';
