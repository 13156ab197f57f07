import type { AttesterLimits, ContractReader } from '../chain/contract-reader.ts';
import { ledgerFields, owedByContract } from '../core/campaign.ts';
import { countOf } from '../core/count-of.ts';
import type { Address, Hex } from '../core/events.ts';
import { dayOf } from '../core/fold/index.ts';
import {
  type AttesterAt,
  attestersAt,
  auditLedger,
  countDiscrepancies,
  type LedgerAt,
  ledgersAt,
  type Violation,
} from '../db/audit/audit.ts';
import type { Pool } from '../db/connection.ts';
import { readHeads, type SettledBlock } from '../db/heads.ts';
import { type Finding, saveAudit } from '../db/write/save-audit.ts';

/** Result of an audit. */
export interface AuditReport {
  /** The settled block, as of which the contract was read. */
  readonly blockNumber: number;
  readonly blockHash: Hex;
  /** Unix seconds. */
  readonly blockTimestamp: number;
  readonly campaigns: number;
  readonly discrepancies: number;
  readonly violations: readonly Violation[];
  /** The violations grouped by campaign or token: each is an alarm. */
  readonly findings: readonly Finding[];
}

/** Thrown if a reorg replaced the settled block during the audit. */
export class BlockReplacedError extends Error {
  override readonly name = 'BlockReplacedError';
}

/** Runs an audit and stores its result for `system.audit`; the chore and the command call it. */
export async function runAudit(pool: Pool, contract: ContractReader): Promise<AuditReport> {
  const started = performance.now();
  const report = await audit(pool, contract);
  await saveAudit(pool, { ...report, durationMs: Math.round(performance.now() - started) });
  return report;
}

/**
 * Checks every invariant of the ledger (docs/how-it-works/ledger.md#invariants): against its own entries, and against the
 * contract's ledgers, attesters, obligations and token balances at the settled block.
 * @throws {BlockReplacedError} if the chain replaced that block meanwhile: try again.
 * @throws if nothing is settled yet, or the chain does not answer.
 */
export async function audit(pool: Pool, contract: ContractReader): Promise<AuditReport> {
  const { settled, own, ledgers, attesters, discrepancies } = await auditOwn(pool);
  const [differing, limits, ofTokens] = await Promise.all([
    compareLedgers(contract, ledgers, settled.number),
    compareAttesters(contract, attesters, settled),
    auditTokens(contract, ledgers, settled.number),
  ]);
  const ofCampaigns = [...own, ...differing, ...limits];
  // Read last: if the block is still there, all answers above are of its chain.
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
    violations: [...ofCampaigns, ...ofTokens.map(violationOf)],
    findings: [...findingsOf(ofCampaigns), ...ofTokens.map(findingOf)],
  };
}

/** The invariant that a stopped campaign violates: it has an alarm of its own and is no finding. */
const RUNS_INVARIANT = 'the campaign runs';

/** One finding for each campaign and invariant. */
function findingsOf(violations: readonly Violation[]): Finding[] {
  const counts = new Map<string, { campaignId: string; invariant: string; count: bigint }>();
  for (const { campaignId, invariant } of violations) {
    if (invariant === RUNS_INVARIANT) continue;
    const key = JSON.stringify([campaignId, invariant]);
    const { count } = counts.get(key) ?? { count: 0n };
    counts.set(key, { campaignId, invariant, count: count + 1n });
  }
  return [...counts.values()].map(({ campaignId, invariant, count }) => ({
    ...{ campaignId, token: null, invariant, level: String(count) },
    sentence: `The last audit found ${countOf(count, 'violation')} in campaign ${campaignId}: ${invariant}.`,
  }));
}

/** Audits the ledger against itself in one snapshot, and reads the ledger and the attesters of each campaign. */
async function auditOwn(pool: Pool): Promise<{
  settled: SettledBlock;
  own: Violation[];
  ledgers: LedgerAt[];
  attesters: AttesterAt[];
  discrepancies: number;
}> {
  return await pool.begin('isolation level repeatable read read only', async (sql) => {
    const settled = (await readHeads(sql))?.settled;
    if (settled == null) throw new Error('Nothing is settled yet: there is nothing to audit.');
    return {
      settled,
      own: await auditLedger(sql),
      ledgers: await ledgersAt(sql, settled.number),
      attesters: await attestersAt(sql, settled.number),
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
      const values = { expected: String(expected ?? 'nothing'), actual: String(ledger[field]) };
      return [{ campaignId, invariant, subject: field, ...values }];
    }),
  );
}

async function compareAttesters(
  contract: ContractReader,
  attesters: readonly AttesterAt[],
  settled: SettledBlock,
): Promise<Violation[]> {
  if (attesters.length === 0) return [];
  const actual = await contract.attesterLimits(attesters, settled.number);
  const today = dayOf(settled.timestamp);
  return attesters.flatMap(({ campaignId, account, ...attester }, i) => {
    const { perOrder, daily, expiry, day, attested } = attester;
    const own: AttesterLimits = {
      ...{ perOrder, daily, expiry: BigInt(expiry) },
      attestedToday: day === today ? attested : 0n,
    };
    return (['perOrder', 'daily', 'expiry', 'attestedToday'] as const).flatMap((field) => {
      const expected = actual[i]?.[field];
      if (expected === own[field]) return [];
      const invariant = "the attester's limits and day equal the contract's";
      const values = { expected: String(expected ?? 'nothing'), actual: String(own[field]) };
      return [{ campaignId, invariant, subject: `${account} ${field}`, ...values }];
    });
  });
}

/** Something wrong with a token over all campaigns. */
interface TokenProblem {
  readonly token: Address;
  readonly invariant: string;
  readonly expected: string;
  readonly actual: string;
  /** Base units that are wrong. */
  readonly amount: bigint;
  readonly sentence: string;
}

/** Compares what the contract says that it owes in each token with the ledgers, and with what it holds. */
async function auditTokens(
  contract: ContractReader,
  ledgers: readonly LedgerAt[],
  blockNumber: number,
): Promise<TokenProblem[]> {
  const owed = new Map<Address, bigint>();
  for (const { token, ledger } of ledgers) {
    owed.set(token, (owed.get(token) ?? 0n) + owedByContract(ledger));
  }
  const tokens = [...owed.keys()];
  if (tokens.length === 0) return [];
  const [obligations, balances] = await Promise.all([
    contract.obligations(tokens, blockNumber),
    Promise.all(tokens.map((token) => contract.tokenBalance(token, blockNumber))),
  ]);
  return tokens.flatMap((token, i) => {
    const obligation = obligations[i] ?? 0n;
    return [
      ...obligationProblems(token, owed.get(token) ?? 0n, obligation),
      ...balanceProblems(token, obligation, balances[i] ?? null),
    ];
  });
}

function obligationProblems(token: Address, sum: bigint, obligation: bigint): TokenProblem[] {
  if (sum === obligation) return [];
  return [
    {
      token,
      invariant: "the contract's obligations are the sum of its campaigns' ledgers",
      expected: String(obligation),
      actual: String(sum),
      amount: sum > obligation ? sum - obligation : obligation - sum,
      sentence: `The contract says that it owes ${obligation} base units of token ${token}; the ledgers of its campaigns sum to ${sum}.`,
    },
  ];
}

function balanceProblems(token: Address, owed: bigint, held: bigint | null): TokenProblem[] {
  if (held !== null && held >= owed) return [];
  const holds =
    held === null
      ? `Token ${token} does not say what the contract holds of it`
      : `The contract holds ${held} base units of token ${token}`;
  return [
    {
      token,
      invariant: "the contract's token balance covers all it owes",
      expected: `at least ${owed}`,
      actual: held === null ? 'no answer' : String(held),
      amount: owed - (held ?? 0n),
      sentence: `${holds}; the contract owes ${owed}.`,
    },
  ];
}

function violationOf({ token, invariant, expected, actual }: TokenProblem): Violation {
  return { campaignId: 'all', invariant, subject: token, expected, actual };
}

function findingOf({ token, invariant, amount, sentence }: TokenProblem): Finding {
  return { campaignId: null, token, invariant, level: String(amount), sentence };
}
