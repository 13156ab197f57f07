import type { Client } from '../../../../../engine/client/index.ts';
import type { DataOf } from '../../../api.ts';

export type Report = DataOf<Client['reports']['get']>;

/** Rows of each kind of report, in words. */
export const kinds: Readonly<Record<Report['kind'], string>> = {
  sales: 'Sales, with their buyers',
  rewards: 'Rewards of sales, by level',
  missed: 'Rewards that levels missed',
  movements: 'Movements of money, with accounts',
  payouts: 'Payouts',
};
