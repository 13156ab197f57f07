import { ChainIdentity, type IdentifiedBy } from '../../chain/identity.ts';
import { type Ability, has, misses, unknown } from './ability.ts';
import { Asker, type AskerLimits } from './asker.ts';
import { chainOf, historyOf } from './probes/chain.ts';
import { finalityOf } from './probes/finality.ts';
import { agreementOf, headOf } from './probes/head.ts';
import { readHeaders } from './probes/headers.ts';
import { blockLogsOf, logRangeOf } from './probes/logs.ts';
import { rateOf } from './probes/rate.ts';
import { bloomsOf, bundlesOf, receiptsOf } from './probes/receipts.ts';
import { proofsOf, stateOf } from './probes/state.ts';
import { configuredWebSocket, WEBSOCKET_CALLS, webSocketAt } from './probes/websocket.ts';
import {
  ADDRESS_WITHOUT_LOGS,
  blockIn,
  type Expected,
  failureIn,
  isQuantity,
  type SeenBlock,
  type Subject,
} from './subject.ts';

/** All that was found about one RPC. */
export interface Examined {
  /** Place among the RPCs, from 1. */
  readonly place: number;
  readonly host: string;
  readonly calls: number;
  /** Calls that were refused for the rate of requests. */
  readonly rateLimited: number;
  readonly seconds: number;
  readonly abilities: readonly Ability[];
}

/** All that was found. */
export interface Examination {
  /** Chain id of the RPCs; `null` if none said it. */
  readonly chainId: number | null;
  readonly rpcs: readonly Examined[];
  /** Abilities of all RPCs together. */
  readonly together: readonly Ability[];
}

/** Blocks by which an RPC may be behind the highest one, so that they are compared by the same blocks. */
const NEAR = 128;

/** An RPC, its newest block, and what is known of it so far. */
interface Met {
  readonly place: number;
  readonly asker: Asker;
  readonly began: number;
  readonly chainId: number | undefined;
  readonly head: SeenBlock | undefined;
  readonly answers: Ability;
}

/**
 * Finds out what RPCs can do. It believes no refusal: what was refused is not known.
 * @param limits of each RPC; default: 60 calls and 45 s.
 */
export async function examine(
  urls: readonly string[],
  expected: Expected,
  limits: AskerLimits = {},
): Promise<Examination> {
  const met = await Promise.all(urls.map((url, i) => meet(new Asker(url, limits), i + 1)));
  const chainId = expected.chainId ?? met.find((one) => one.chainId !== undefined)?.chainId;
  if (chainId === undefined) {
    return { chainId: null, rpcs: met.map((one) => examined(one, [one.answers])), together: [] };
  }
  const heads = met.flatMap(({ head, chainId: own }) => (head && own === chainId ? [head] : []));
  const newest = sharedBlock(heads.map(({ number }) => number));
  const chain: IdentifiedBy = {
    chainId,
    startBlock: expected.startBlock ?? Math.max(0, (newest ?? 0) - NEAR),
  };
  const results = await examineAll(met, chain, { expected, heads, newest });
  const agreement = agreementOf(
    results.flatMap(({ examined: { place }, headers }) =>
      headers.length > 0 ? [{ place, headers }] : [],
    ),
    expected.rpcQuorum,
  );
  const socket = expected.rpcWsUrl && (await configuredWebSocket(expected.rpcWsUrl, chain));
  return {
    chainId,
    rpcs: results.map((one) => one.examined),
    together: [...(agreement ? [agreement] : []), ...(socket ? [socket] : [])],
  };
}

/** Newest block that all RPCs have which are near the highest of these. */
function sharedBlock(heights: readonly number[]): number | undefined {
  if (heights.length === 0) return undefined;
  const highest = Math.max(...heights);
  return Math.min(...heights.filter((number) => highest - number <= NEAR));
}

/** Asks an RPC of which chain it is, and for its newest block. */
async function meet(asker: Asker, place: number): Promise<Met> {
  const began = performance.now();
  const [id, latest] = await Promise.all([
    asker.ask('eth_chainId'),
    asker.ask('eth_getBlockByNumber', ['latest', false]),
  ]);
  const head = blockIn(latest);
  const chainId = id.kind === 'value' && isQuantity(id.value) ? Number(id.value) : undefined;
  return { place, asker, began, chainId, head, answers: answersOf(head, failureIn(latest)) };
}

function answersOf(head: SeenBlock | undefined, failure: ReturnType<typeof failureIn>): Ability {
  if (head !== undefined) return has('answers', 'with its newest block');
  const found = `it ${failure?.reason ?? 'answers no block'}`;
  if (failure?.kind !== 'no') return unknown('answers', found);
  return misses('answers', found, {
    cost: 'This is no RPC of a chain, or it has no block yet.',
    set: { RPC_URL: 'the URL of an RPC' },
  });
}

/** Facts that all RPCs are compared with. */
interface Common {
  readonly expected: Expected;
  readonly heads: readonly SeenBlock[];
  /** Newest block that all RPCs near the head have; `undefined` if none said that it is of the chain. */
  readonly newest: number | undefined;
}

/** An RPC, and the headers by which it is compared with others. */
interface Result {
  readonly examined: Examined;
  readonly headers: readonly SeenBlock[];
}

async function examineAll(
  met: readonly Met[],
  chain: IdentifiedBy,
  common: Common,
): Promise<readonly Result[]> {
  const identity = new ChainIdentity(chain);
  const running: Promise<Result>[] = [];
  for (const one of met) {
    // One after the other: the first that answers says which chain it is.
    const ofChain = await chainOf(one.asker, identity, {
      chainId: chain.chainId,
      place: one.place,
    });
    running.push(examineOne(one, ofChain, chain, common));
  }
  return await Promise.all(running);
}

async function examineOne(
  met: Met,
  ofChain: Ability,
  chain: IdentifiedBy,
  { expected, heads, newest }: Common,
): Promise<Result> {
  const { asker, head, answers } = met;
  if (head === undefined || ofChain.status !== 'ok') {
    return { examined: examined(met, [answers, ofChain]), headers: [] };
  }
  const subject: Subject = {
    ...{ asker, head, expected, chainId: chain.chainId },
    address: expected.contractAddress ?? ADDRESS_WITHOUT_LOGS,
    newest: Math.min(head.number, newest ?? head.number),
  };
  const socket = webSocketOf(subject, chain);
  const { headers, abilities } = await abilitiesOf(subject);
  const { chainId } = chain;
  const newestBlock = headOf(head, { chainId, heads, headers, nowMs: Date.now() });
  const all = [answers, ofChain, newestBlock, ...abilities, ...(await socket)];
  return { examined: examined(met, [...all, await rateOf(asker)]), headers };
}

/** The WebSocket at the address of the RPC, unless `RPC_WS_URL` names one. */
async function webSocketOf(
  { asker, expected }: Subject,
  chain: IdentifiedBy,
): Promise<readonly Ability[]> {
  if (expected.rpcWsUrl !== undefined) return [];
  asker.count(WEBSOCKET_CALLS);
  return [await webSocketAt(asker.url, chain)];
}

const SKIPPED = 'it was not asked, because it refused calls for their rate';

/** Asks one thing after the other, the needed ones first: an RPC may limit the rate. */
async function abilitiesOf(
  subject: Subject,
): Promise<{ readonly headers: readonly SeenBlock[]; readonly abilities: readonly Ability[] }> {
  const { asker, address, chainId, head, newest, expected } = subject;
  const { startBlock, finalityBlocks, rpcRequestsPerSecond: requestsPerSecond } = expected;
  const history = await historyOf(asker, { startBlock, address });
  const finality = await finalityOf(asker, { chainId, head, finalityBlocks });
  const { ability: batches, headers } = await readHeaders(asker, newest);
  const logs = await logRangeOf(asker, { address, newest, startBlock, requestsPerSecond });
  const withSome = headers.filter(({ transactions }) => transactions.length > 0);
  const [smallest] = withSome.toSorted((a, b) => a.transactions.length - b.transactions.length);
  const tried = smallest ?? headers.at(-1) ?? head;
  const blockLogs = await blockLogsOf(asker, tried);
  const receipts = await receiptsOf(asker, tried);
  const state = await stateOf(subject);
  const abilities = [
    ...[history, finality, batches, logs, blockLogs, receipts.ability],
    bloomsOf(headers, smallest, receipts.logs),
    state,
  ];
  // What Tributary can do without is not worth another refusal.
  if (asker.rateLimited > 0) {
    const skipped = (['bundles', 'proofs'] as const).map((name) => unknown(name, SKIPPED));
    return { headers, abilities: [...abilities, ...skipped] };
  }
  const bundles = await bundlesOf({ asker, chainId, isWhole: receipts.isWhole }, smallest);
  return { headers, abilities: [...abilities, bundles, await proofsOf(subject)] };
}

function examined({ place, asker, began }: Met, abilities: readonly Ability[]): Examined {
  const seconds = Math.round((performance.now() - began) / 100) / 10;
  const { host, calls, rateLimited } = asker;
  return { place, host, calls, rateLimited, seconds, abilities };
}
