import { setTimeout } from 'node:timers/promises';
import type { ChainHead, ProvenBlock } from '../chain/chain.ts';
import type { Sql } from '../db/connection.ts';
import { campaignsInBlock } from '../db/indexer/facts.ts';
import type { TickStart } from '../db/indexer/tick-start.ts';
import { checkNextBlock } from './check-facts.ts';
import { MAX_FACTS_HERE } from './push-campaigns.ts';
import type { BeforeCommit } from './settle-campaigns.ts';
import type { Tick } from './tick.ts';

/** Milliseconds that a folded batch waits for the chain with its transaction open. */
const MAX_WAIT_MS = 250;

/**
 * Settles the next block while the chain is still asked about it. Its facts are folded and written, then
 * compared with the chain, all in one transaction, which commits only if they agree. Otherwise nothing has
 * happened, and the tick checks first (docs/settlement.md#detect-dont-trust). Only if the ledger is complete
 * up to the checked head, and nothing is final that was not.
 * @param asked the request for the block.
 * @returns the checked block; `null` if nothing was settled.
 */
export async function settleAhead(
  tick: Tick,
  { heads, checked, indexer, isBehindKnown }: TickStart,
  asked: Promise<ChainHead | undefined>,
  beforeCommit: BeforeCommit,
): Promise<ProvenBlock | null> {
  const { pool, settleHere, ahead: pause } = tick;
  const { blockNumber, timestamp, finalizedNumber } = indexer;
  const { settled, indexerSchema: schema } = heads;
  const isComplete =
    isBehindKnown && settled?.number === checked.number && settled.hash === checked.hash;
  const isNext = blockNumber === checked.number + 1 && timestamp !== null;
  const isFinal = (finalizedNumber ?? -1) > checked.final.number;
  if (settleHere === undefined || !pause?.isOver() || !isComplete || !isNext || isFinal)
    return null;
  const facts = await campaignsInBlock(pool, schema, blockNumber, MAX_FACTS_HERE + 1);
  if (facts.length === 0 || facts.length > MAX_FACTS_HERE) return null;
  const seen: { block: ProvenBlock | null } = { block: null };
  const check = async (sql: Sql) => {
    const block = provenOf(await inTime(asked));
    seen.block = block;
    return block !== null && (await checkNextBlock(sql, schema, checked, block));
  };
  try {
    const to = { number: blockNumber, timestamp };
    await settleHere([...new Set(facts)], { beforeCommit, ahead: { to, check } });
    return seen.block;
  } catch (error) {
    // Checked first, the same facts fail again if they are the cause, and then it is reported.
    pause.begin(error);
    return null;
  }
}

/** The chain's answer; `undefined` if it does not come in time. */
async function inTime(asked: Promise<ChainHead | undefined>): Promise<ChainHead | undefined> {
  const answered = new AbortController();
  const late = setTimeout(MAX_WAIT_MS, undefined, { signal: answered.signal }).catch(
    () => undefined,
  );
  return await Promise.race([asked, late]).finally(() => answered.abort());
}

/** The block with its logs; `null` if they were not requested with it. */
function provenOf(head: ChainHead | undefined): ProvenBlock | null {
  if (head?.parentHash === undefined || head.logs === undefined) return null;
  const { parentHash, logs } = head;
  return { ...head, parentHash, logs };
}
