import { setTimeout } from 'node:timers/promises';
import type { ChainEnv } from '../../env.ts';
import type { Ability } from './ability.ts';
import { Asker } from './asker.ts';
import { finalityOf } from './probes/finality.ts';
import { logRangeOf } from './probes/logs.ts';
import { receiptsOf } from './probes/receipts.ts';
import { titles } from './report.ts';
import { blockIn } from './subject.ts';

/** Calls of one start to one RPC; five if it lacks nothing. */
const MAX_CALLS = 12;

/** Milliseconds after which a start does not wait for what an RPC lacks: less than what its checks may take. */
const LIMIT_MS = 1_500;

/**
 * Sentences about what an RPC lacks that the program asks for, by a few calls. What was refused, or not answered in time,
 * is not known, and is no sentence. Never rejects.
 * @param newest the RPC's newest block, as it answered it.
 */
export async function lacksAtStart(
  url: string,
  chain: ChainEnv,
  newest: Promise<unknown>,
): Promise<readonly string[]> {
  const found = lacksOf(url, chain, newest).catch((): string[] => []);
  return (await Promise.race([found, setTimeout(LIMIT_MS, undefined, { ref: false })])) ?? [];
}

async function lacksOf(
  url: string,
  { chainId, contractAddress: address, startBlock, finalityBlocks, rpcRequestsPerSecond }: ChainEnv,
  block: Promise<unknown>,
): Promise<string[]> {
  const asker = new Asker(url, { maxCalls: MAX_CALLS, callMs: LIMIT_MS, runMs: LIMIT_MS });
  const head = blockIn({ kind: 'value', value: await block });
  if (head === undefined) return [];
  const newest = head.number;
  const [finality, logs, { ability: receipts }] = await Promise.all([
    finalityOf(asker, { chainId, head, finalityBlocks }),
    logRangeOf(asker, { address, newest, startBlock, requestsPerSecond: rpcRequestsPerSecond }),
    receiptsOf(asker, head),
  ]);
  return [finality, logs, receipts].flatMap((ability) => sentenceOf(ability, asker.host));
}

function sentenceOf({ name, status, found, cost }: Ability, host: string): string[] {
  if (status !== 'lack' && status !== 'missing') return [];
  return [`RPC_URL: ${titles[name]} of ${host}: ${found}. ${cost}`];
}
