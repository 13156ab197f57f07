import { rpcClient } from '../../chain/client.ts';
import { contractReader } from '../../chain/contract-reader.ts';
import { readHeads } from '../../db/heads.ts';
import { ledgerTotals } from '../../db/read/system/totals.ts';
import { type AuditReport, audit } from '../../settlement/audit.ts';
import { verifySale } from '../../verify/index.ts';
import { askApi } from '../api-client.ts';
import { chainOf } from '../connect.ts';
import { CommandError, exitCodes } from '../exit-codes.ts';
import type { Stack } from './stack.ts';

/** Sales that are verified concurrently. */
const CONCURRENCY = 8;

/** Milliseconds without progress of settlement before the command fails. */
const STALL_MS = 60_000;

/** Settled block and newest block of the chain. */
export interface CatchUp {
  readonly settled: number;
  readonly head: number;
}

/**
 * Waits until the block that is the newest now is settled.
 * @throws {CommandError} `unavailable` after a minute without progress.
 */
export async function untilSettled(
  { chain, pool }: Stack,
  onProgress: (progress: CatchUp) => void,
): Promise<CatchUp> {
  const target = await chainOf(chain).head();
  let last = -1;
  let progressAt = performance.now();
  for (;;) {
    const heads = await readHeads(pool);
    const settled = heads?.settled?.number ?? 0;
    if (settled >= target.number) return { settled, head: target.number };
    if (settled !== last) {
      onProgress({ settled, head: target.number });
      last = settled;
      progressAt = performance.now();
    } else if (performance.now() - progressAt > STALL_MS) {
      throw new CommandError(
        `Settlement has stopped at block ${settled} of ${target.number} for a minute: see the logs.`,
        exitCodes.unavailable,
      );
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Result of the verification of all sales. */
export interface SalesVerified {
  readonly verified: number;
  readonly passed: number;
  /** Number of sales in the ledger before the check: the API must list all of them. */
  readonly inLedger: number;
  /** Failed sales, each with its first failed check. */
  readonly failures: readonly { saleId: string; verdict: string; check: string; message: string }[];
}

/** Gets every receipt from the API and compares it with the chain, as an outsider would. */
export async function verifyEverySale(
  { chain, apiUrl, pool }: Stack,
  onProgress: (done: number) => void,
): Promise<SalesVerified> {
  const client = rpcClient(chain.rpcUrls);
  const failures: SalesVerified['failures'][number][] = [];
  const { sales: inLedger } = await ledgerTotals(pool);
  let verified = 0;
  let cursor: string | undefined;
  do {
    const page = await askApi(apiUrl, (api) =>
      api.receipts.recent({ limit: 100, ...(cursor === undefined ? {} : { cursor }) }),
    );
    const ids = page.data.items.map(({ saleId }) => saleId);
    for (let i = 0; i < ids.length; i += CONCURRENCY) {
      const results = await Promise.all(
        ids.slice(i, i + CONCURRENCY).map(async (saleId) => {
          const receipt = await askApi(apiUrl, (api) =>
            api.receipts.get({ chainId: chain.chainId, saleId }),
          );
          const { contractAddress, startBlock } = chain;
          return await verifySale({
            client,
            contractAddress,
            saleId,
            served: receipt.data,
            fromBlock: BigInt(startBlock),
            atBlock: BigInt(receipt.meta.chain?.blockNumber ?? 0),
          });
        }),
      );
      for (const { saleId, verdict, checks } of results) {
        const wrong = checks.find(({ status }) => status !== 'pass');
        if (verdict === 'pass' || wrong === undefined) continue;
        failures.push({ saleId, verdict, check: wrong.name, message: wrong.message });
      }
      verified += results.length;
    }
    onProgress(verified);
    cursor = page.data.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return { verified, passed: verified - failures.length, inLedger, failures };
}

/** True if the API listed every sale of the ledger, and all passed. */
export function allVerified({ verified, passed, inLedger }: SalesVerified): boolean {
  return passed === verified && verified >= inLedger;
}

/** Sentence with the result of the verification. */
export function salesTitle(sales: SalesVerified): string {
  const { verified, passed, inLedger } = sales;
  if (verified < inLedger) {
    return `The API lists ${verified} of the ledger's ${inLedger} sales; ${passed} of them verified against the chain`;
  }
  if (verified === 0) return 'There are no sales to verify yet';
  return `${passed} of ${verified} sales verified against the chain`;
}

/** True if an audit found no violation and no discrepancy. */
export function isClean({ violations, discrepancies }: AuditReport): boolean {
  return violations.length === 0 && discrepancies === 0;
}

/** Audits the invariants of the ledger against itself and the contract. */
export async function auditStack({ pool, chain }: Stack): Promise<AuditReport> {
  return await audit(pool, contractReader(chain));
}
