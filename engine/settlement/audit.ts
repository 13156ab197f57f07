import { type CampaignLedger, ledgerFields, owedByContract } from '../core/campaign.ts';
import type { Address, Hex } from '../core/events.ts';
import {
  auditLedger,
  countDiscrepancies,
  type LedgerAt,
  ledgersAt,
  type Violation,
} from '../db/audit.ts';
import type { Pool } from '../db/connection.ts';
import { readHeads, type SettledBlock } from '../db/heads.ts';
import { saveAudit } from '../db/write/save-audit.ts';

/** What the contract says of itself; the caller makes it from an RPC. */
export interface ContractReader {
  /** `campaignLedger` of each campaign at a block, in the order asked. */
  campaignLedgers(
    campaignIds: readonly string[],
    blockNumber: number,
  ): Promise<readonly CampaignLedger[]>;
  /** What the contract holds of a token at a block, base units. */
  tokenBalance(token: Address, blockNumber: number): Promise<bigint>;
  /** Hash of the canonical block at a height; `null` above the head. */
  blockHash(blockNumber: number): Promise<Hex | null>;
}

export interface AuditReport {
  /** The settled block, as of which the contract was asked. */
  readonly blockNumber: number;
  readonly blockHash: Hex;
  /** Unix seconds. */
  readonly blockTimestamp: number;
  readonly campaigns: number;
  readonly discrepancies: number;
  readonly violations: readonly Violation[];
}

/** What was compared is of no block any more: a reorg came while the contract was asked. */
export class BlockReplacedError extends Error {
  override readonly name = 'BlockReplacedError';
}

/** The audit, with its result kept for `system.audit`: what the job and the command both run. */
export async function runAudit(pool: Pool, contract: ContractReader): Promise<AuditReport> {
  const started = performance.now();
  const report = await audit(pool, contract);
  await saveAudit(pool, { ...report, durationMs: Math.round(performance.now() - started) });
  return report;
}

/**
 * Checks every invariant of design §5: the ledger against its own entries, and against the
 * contract's own ledgers and token balances at the settled block.
 * @throws {BlockReplacedError} where the chain replaced that block meanwhile: try again.
 * @throws where nothing is settled yet, or the chain does not answer.
 */
export async function audit(pool: Pool, contract: ContractReader): Promise<AuditReport> {
  const { settled, own, ledgers, discrepancies } = await auditOwn(pool);
  const against = await Promise.all([
    compareLedgers(contract, ledgers, settled.number),
    compareBalances(contract, ledgers, settled.number),
  ]);
  // Asked last: were it another block's, the contract would have spoken of that one.
  if ((await contract.blockHash(settled.number)) !== settled.hash) {
    throw new BlockReplacedError(
      `The chain replaced the settled block ${settled.number} during the audit: try again.`,
    );
  }
  return {
    blockNumber: settled.number,
    blockHash: settled.hash,
    blockTimestamp: settled.timestamp,
    campaigns: ledgers.length,
    discrepancies,
    violations: [...own, ...against.flat()],
  };
}

/** The ledger against itself, in one snapshot, and what it says of each campaign. */
async function auditOwn(pool: Pool): Promise<{
  settled: SettledBlock;
  own: Violation[];
  ledgers: LedgerAt[];
  discrepancies: number;
}> {
  return await pool.begin('isolation level repeatable read read only', async (sql) => {
    const settled = (await readHeads(sql))?.settled;
    if (settled == null) throw new Error('Nothing is settled yet: there is nothing to audit.');
    return {
      settled,
      own: await auditLedger(sql),
      ledgers: await ledgersAt(sql, settled.number),
      discrepancies: await countDiscrepancies(sql),
    };
  });
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
    owed.set(token, (owed.get(token) ?? 0n) + owedByContract(ledger));
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
