import type { ContractReader } from '../chain/contract-reader.ts';
import { runAudit } from '../settlement/audit.ts';
import type { Chore } from './chores.ts';

/** Seconds between two audits: each reads the whole ledger once. */
const EVERY_SECONDS = 900;

/** A chore that audits the ledger, stores the result and logs what differs. */
export function auditChore(contract: ContractReader): Chore {
  return {
    everySeconds: EVERY_SECONDS,
    run: async ({ pool, log }) => {
      const { violations, discrepancies, blockNumber } = await runAudit(pool, contract);
      if (violations.length === 0 && discrepancies === 0) return;
      const found = { blockNumber, violations: violations.slice(0, 20), discrepancies };
      log.error(found, 'the audit found differences: see `tributary audit`');
    },
  };
}
