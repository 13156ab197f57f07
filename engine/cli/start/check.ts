import { readHeads } from '../../db/heads.ts';
import { ledgerTotals } from '../../db/read/totals.ts';
import { type AuditReport, audit } from '../../settlement/audit.ts';
import { rpcClient } from '../../settlement/rpc-client.ts';
import { verifySale } from '../../verify/index.ts';
import { askApi } from '../api-client.ts';
import { chainOf } from '../connect.ts';
import { contractReader } from '../contract-reader.ts';
import { CommandError, exitCodes } from '../exit-codes.ts';
import type { Stack } from './stack.ts';

/** Sales verified at once: as many as keep the RPC busy and no more. */
const AT_ONCE = 8;

/** Milliseconds without any progress after which waiting for the ledger is given up. */
const STALL_MS = 60_000;

export interface CatchUp {
  readonly settled: number;
  readonly head: number;
}

/**
 * Waits until everything that was on the chain when it was asked is settled.
 * @throws {CommandError} `unavailable` where nothing moves for a minute.
 */
export async function untilSettled(
  { chain, pool }: Stack,
  onProgress: (progress: CatchUp) => void,
): Promise<CatchUp> {
  const target = await chainOf(chain).head();
  let last = -1;
  let movedAt = performance.now();
  for (;;) {
    const heads = await readHeads(pool);
    const settled = heads?.settled?.number ?? 0;
    if (settled >= target.number) return { settled, head: target.number };
    if (settled !== last) {
      onProgress({ settled, head: target.number });
      last = settled;
      movedAt = performance.now();
    } else if (performance.now() - movedAt > STALL_MS) {
      throw new CommandError(
        `Block ${settled} is settled and nothing has moved for a minute; the head is ${target.number}. See the logs.`,
        exitCodes.unavailable,
      );
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

export interface SalesVerified {
  readonly verified: number;
  readonly passed: number;
  /** Sales that this deployment's own ledger held before: the API must list all of them. */
  readonly inLedger: number;
  /** Sales that did not pass, with the first check that did not. */
  readonly failures: readonly { saleId: string; verdict: string; check: string; message: string }[];
}

/** Takes every receipt from the API and compares it with the chain, as a stranger would. */
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
    for (let i = 0; i < ids.length; i += AT_ONCE) {
      const results = await Promise.all(
        ids.slice(i, i + AT_ONCE).map(async (saleId) => {
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

/** True if every sale of the ledger was listed by the API, and passed. */
export function allVerified({ verified, passed, inLedger }: SalesVerified): boolean {
  return passed === verified && verified >= inLedger;
}

/** What the check of all sales came to, in a sentence. */
export function salesTitle(sales: SalesVerified): string {
  const { verified, passed, inLedger } = sales;
  if (verified < inLedger) {
    return `The API lists ${verified} of the ledger's ${inLedger} sales; ${passed} of them verified against the chain`;
  }
  if (verified === 0) return 'There are no sales to verify yet';
  return `${passed} of ${verified} sales verified against the chain`;
}

/** True if an audit found nothing. */
export function isClean({ violations, discrepancies }: AuditReport): boolean {
  return violations.length === 0 && discrepancies === 0;
}

/** All invariants of the ledger, against itself and against the contract. */
export async function auditStack({ pool, chain }: Stack): Promise<AuditReport> {
  return await audit(pool, contractReader(chain));
}
