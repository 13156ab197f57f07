import { type CampaignLedger, ledgerFields } from '../core/campaign.ts';
import type { Address } from '../core/events.ts';
import {
  auditLedger,
  countDiscrepancies,
  type LedgerAt,
  ledgersAt,
  type Violation,
} from '../db/audit.ts';
import type { Pool } from '../db/connection.ts';
import { readHeads } from '../db/heads.ts';

/** What the contract says of itself; the caller makes it from an RPC. */
export interface ContractReader {
  /** `campaignLedger` of each campaign at a block, in the order asked. */
  campaignLedgers(
    campaignIds: readonly string[],
    blockNumber: number,
  ): Promise<readonly CampaignLedger[]>;
  /** What the contract holds of a token at a block, base units. */
  tokenBalance(token: Address, blockNumber: number): Promise<bigint>;
}

export interface AuditReport {
  /** The settled block, as of which the contract was asked. */
  readonly blockNumber: number;
  readonly campaigns: number;
  readonly discrepancies: number;
  readonly violations: readonly Violation[];
}

/**
 * Checks every invariant of design §5: the ledger against its own entries, and against the
 * contract's own ledgers and token balances at the settled block.
 * @throws where nothing is settled yet, or the chain does not answer.
 */
export async function audit(pool: Pool, contract: ContractReader): Promise<AuditReport> {
  const { blockNumber, own, ledgers, discrepancies } = await pool.begin(
    'isolation level repeatable read read only',
    async (sql) => {
      const heads = await readHeads(sql);
      const number = heads?.settled?.number;
      if (number === undefined)
        throw new Error('Nothing is settled yet: there is nothing to audit.');
      return {
        blockNumber: number,
        own: await auditLedger(sql),
        ledgers: await ledgersAt(sql, number),
        discrepancies: await countDiscrepancies(sql),
      };
    },
  );
  const against = await Promise.all([
    compareLedgers(contract, ledgers, blockNumber),
    compareBalances(contract, ledgers, blockNumber),
  ]);
  return {
    blockNumber,
    campaigns: ledgers.length,
    discrepancies,
    violations: [...own, ...against.flat()],
  };
}

async function compareLedgers(
  contract: ContractReader,
  ledgers: readonly LedgerAt[],
  blockNumber: number,
): Promise<Violation[]> {
  const ids = ledgers.map(({ campaignId }) => campaignId);
  const actual = await contract.campaignLedgers(ids, blockNumber);
  return ledgers.flatMap(({ campaignId, ledger }, i) =>
    ledgerFields.flatMap((field) => {
      const expected = actual[i]?.[field];
      if (expected === ledger[field]) return [];
      const invariant = "the ledger equals the contract's";
      const told = { expected: String(expected ?? 'nothing'), actual: String(ledger[field]) };
      return [{ campaignId, invariant, subject: field, ...told }];
    }),
  );
}

/** The contract must hold at least what it owes, in each token, over all campaigns. */
async function compareBalances(
  contract: ContractReader,
  ledgers: readonly LedgerAt[],
  blockNumber: number,
): Promise<Violation[]> {
  const owed = new Map<Address, bigint>();
  for (const { token, ledger } of ledgers) {
    const sum =
      ledger.available +
      ledger.pendingReserved +
      ledger.vestedUnclaimed +
      ledger.proceedsPending +
      ledger.proceedsClaimable;
    owed.set(token, (owed.get(token) ?? 0n) + sum);
  }
  const checked = [...owed].map(async ([token, sum]): Promise<Violation[]> => {
    const balance = await contract.tokenBalance(token, blockNumber);
    if (balance >= sum) return [];
    const invariant = "the contract's token balance covers all it owes";
    const told = { expected: `at least ${sum}`, actual: String(balance) };
    return [{ campaignId: 'all', invariant, subject: token, ...told }];
  });
  return (await Promise.all(checked)).flat();
}
