import { type ContractReader, runAudit } from '../settlement/audit.ts';
import type { Chore } from './chores.ts';

/** Seconds between two audits: each reads the whole ledger once. */
const EVERY_SECONDS = 900;

/** Audits the ledger against itself and the contract, keeps the result, and logs what differs. */
export function auditChore(contract: ContractReader): Chore {
  return {
    everySeconds: EVERY_SECONDS,
    run: async ({ pool, log }) => {
      const { violations, discrepancies, blockNumber } = await runAudit(pool, contract);
      if (violations.length === 0 && discrepancies === 0) return;
      const told = { blockNumber, violations: violations.slice(0, 20), discrepancies };
      log.error(told, 'the audit found differences: see `tributary audit`');
    },
  };
}
