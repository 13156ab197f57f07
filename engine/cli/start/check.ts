import { join } from 'node:path';
import { rpcClient } from '../../chain/client.ts';
import { contractReader } from '../../chain/contract-reader.ts';
import { identityOf } from '../../chain/identity.ts';
import { countOf } from '../../core/count-of.ts';
import { readHeads } from '../../db/heads.ts';
import { ledgerTotals } from '../../db/read/system/totals.ts';
import { readWatch } from '../../db/read/system/watch.ts';
import { type AuditReport, audit } from '../../settlement/audit.ts';
import { verifySale } from '../../verify/index.ts';
import { askApi } from '../api-client.ts';
import { chainOf } from '../connect.ts';
import { CommandError, exitCodes } from '../exit-codes.ts';
import { Patience } from '../stack/patience.ts';
import type { Stack } from './stack.ts';

/** Sales that are verified concurrently. */
const CONCURRENCY = 8;

/** Seconds of a free machine without progress before the reason is shown, and before `--check` fails. */
const SILENCE_SECONDS = { shown: 30, failed: 300 } as const;

/** Settled block and newest block of the chain. */
export interface CatchUp {
  readonly settled: number;
  readonly head: number;
}

/** Reports of `untilSettled`. */
export interface CatchUpReports {
  readonly progress: (progress: CatchUp) => void;
  /** Receives a sentence if there was no progress for long. */
  readonly waiting: (sentence: string) => void;
}

/**
 * Waits until the block that is the newest now is settled: as long as it takes, because the parts are restarted and
 * retry automatically, and a busy machine is slow.
 * @param mayFail true to end after a long time without progress.
 * @throws {CommandError} `unavailable` if it may fail, and nothing has moved for long.
 */
export async function untilSettled(
  { chain, pool }: Stack,
  { progress, waiting }: CatchUpReports,
  mayFail: boolean,
): Promise<CatchUp> {
  const target = await retryingHead(chain, waiting);
  const silence = new Patience(SILENCE_SECONDS.shown);
  const limit = new Patience(SILENCE_SECONDS.failed);
  for (let last = ''; ; ) {
    // PostgreSQL may be restarting.
    const heads = await readHeads(pool).catch(() => undefined);
    const settled = heads?.settled?.number ?? 0;
    const indexed = heads?.indexedNumber ?? 0;
    if (settled >= target) return { settled, head: target };
    const now = `${indexed} ${settled}`;
    if (now !== last) {
      progress({ settled, head: target });
      for (const one of [silence, limit]) one.progressed();
    }
    last = now;
    if (silence.isOver) {
      waiting(await waitingFor(pool, { indexed, settled, target }));
      silence.progressed();
    }
    if (mayFail && limit.isOver) {
      const sentence = await waitingFor(pool, { indexed, settled, target });
      throw new CommandError(`Gave up. ${sentence}`, exitCodes.unavailable);
    }
    await Promise.all([silence.pause(100), limit.pause(100)]);
  }
}

/** Number of the newest block; asks until the RPC responds. */
async function retryingHead(chain: Stack['chain'], waiting: CatchUpReports['waiting']) {
  const silence = new Patience(SILENCE_SECONDS.shown);
  for (;;) {
    const head = await chainOf(chain)
      .head()
      .catch(() => undefined);
    if (head !== undefined) return head.number;
    if (silence.isOver) {
      waiting('The chain does not respond: RPC_URL is asked again and again.');
      silence.progressed();
    }
    await silence.pause(500);
  }
}

/** Sentences that say which part has not done its work, what it has met, and where its log is. */
async function waitingFor(
  pool: Stack['pool'],
  { indexed, settled, target }: Readonly<Record<'indexed' | 'settled' | 'target', number>>,
): Promise<string> {
  const [part, log] = indexed < target ? ['indexer', 'indexer'] : ['worker', 'worker-1'];
  // PostgreSQL may be restarting.
  const watch = await readWatch(pool).catch(() => undefined);
  return [
    `Waiting for the ${part}: of ${target} blocks, ${indexed} are indexed and ${settled} are settled, and nothing has moved for a while.`,
    ...(watch?.feederErrors ?? []).map(({ message }) => message),
    `Its log is ${join('logs', `${log}.log`)} in DATA_DIR.`,
  ].join(' ');
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
  const client = rpcClient(chain.rpcUrls, { identity: identityOf(chain.rpcUrls, chain) });
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
    return `The API lists ${verified} of the ledger's ${countOf(inLedger, 'sale')}; ${passed} of them verified against the chain`;
  }
  if (verified === 0) return 'There are no sales to verify yet';
  return `${passed} of ${countOf(verified, 'sale')} verified against the chain`;
}

/** True if an audit found no violation and no discrepancy. */
export function isClean({ violations, discrepancies }: AuditReport): boolean {
  return violations.length === 0 && discrepancies === 0;
}

/** Audits the invariants of the ledger against itself and the contract. */
export async function auditStack({ pool, chain }: Stack): Promise<AuditReport> {
  return await audit(pool, contractReader(chain));
}
