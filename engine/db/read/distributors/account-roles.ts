import type { Address } from '../../../core/events.ts';
import type { Sql } from '../../connection.ts';

/** The roles of an account, from what it did in the newest rows of the ledger. */
export interface AccountRoles {
  /** Owns a link. */
  readonly distributor: boolean;
  /** Has a profile, or created a campaign. */
  readonly merchant: boolean;
}

/** The roles of an account: one statement of three look-ups. */
export async function accountRoles(sql: Sql, address: Address): Promise<AccountRoles> {
  const [row] = await sql<AccountRoles[]>`
    select exists (select 1 from ledger.node where owner = ${address}) as distributor,
      exists (select 1 from commerce.merchant where address = ${address})
        or exists (select 1 from ledger.campaign where merchant = ${address}) as merchant`;
  return row ?? { distributor: false, merchant: false };
}
