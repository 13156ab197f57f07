import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import fc from 'fast-check';
import {
  type Address,
  decodeEventLog,
  encodeAbiParameters,
  encodeEventTopics,
  encodeFunctionResult,
  getAbiItem,
  type Hex,
  pad,
  type RpcLog,
  toFunctionSelector,
  toHex,
} from 'viem';
import { referralCommerceAbi as abi } from '../../abis/index.ts';
import { byLocation, type DecodedLog, decodeLogs } from '../../engine/verify/chain/decode.ts';
import { emptyLedger, ledgerAfter } from '../../engine/verify/chain/ledger.ts';
import { policyHashesOf } from '../../engine/verify/policy-hash.ts';
import { askRpc, type Behaviour, Refusal } from './clients.ts';

/** Space between the indexes of two logs of a block, for logs to be put between them. */
const SPACE = 16;

/** A contract that looks like the real one, of which a sale is verified. */
export interface Lookalike {
  readonly contract: Address;
  readonly saleId: string;
  /** Its logs, oldest first, with space between their indexes. */
  readonly logs: readonly RpcLog[];
}

/** The logs of a contract on the chain of an RPC, oldest first, with space between their indexes. */
export async function logsOfContract(url: string, contract: Address): Promise<readonly RpcLog[]> {
  const params = [{ address: contract, fromBlock: '0x0', toBlock: 'latest' }];
  const logs = (await askRpc(url, { method: 'eth_getLogs', params })) as readonly RpcLog[];
  // The index of the first log of a block has space before it, too.
  return logs.map((log) => ({ ...log, logIndex: toHex((Number(log.logIndex) + 1) * SPACE) }));
}

/**
 * An RPC of the same chain on which the contract emitted these logs. Its ledgers follow from them, and it does not
 * answer what the contract stores of the sale.
 */
export function lookalikeRpc({ contract, saleId, logs }: Lookalike): Behaviour {
  const decoded = logs.flatMap((log) => decodedOf(log, contract)).sort(byLocation);
  return async ({ method, params }, pass) => {
    if (method === 'eth_getLogs') return logs.filter((log) => isWanted(log, Object(params[0])));
    if (method === 'eth_getTransactionReceipt') {
      const receipt = Object(await pass());
      return { ...receipt, logs: logs.filter((log) => log.transactionHash === params[0]) };
    }
    if (method !== 'eth_call') return pass();
    const { data, input = data } = Object(params[0]);
    if (!input.startsWith(LEDGER)) throw new Refusal(-32_000, 'not stored');
    const campaignId = `${BigInt(`0x${input.slice(LEDGER.length)}`)}`;
    return ledgerAt(decoded, { saleId, campaignId }, Number(params[1]));
  };
}

/** First bytes of a call of `campaignLedger`. */
const LEDGER = toFunctionSelector(getAbiItem({ abi, name: 'campaignLedger' }));

const decodedLogs = new WeakMap<RpcLog, readonly DecodedLog[]>();

/** The log decoded, once for all contracts that emitted it; none if it does not decode. */
function decodedOf(log: RpcLog, contract: Address): readonly DecodedLog[] {
  const decoded = decodedLogs.get(log) ?? decodeLogs([log], contract);
  decodedLogs.set(log, decoded);
  return decoded;
}

interface Filter {
  readonly blockHash?: Hex;
  readonly fromBlock?: Hex;
  readonly toBlock?: Hex;
  readonly topics?: readonly (null | Hex | readonly Hex[])[];
}

function isWanted(
  log: RpcLog,
  { blockHash, fromBlock, toBlock = 'latest' as Hex, topics = [] }: Filter,
) {
  const isIn =
    blockHash === undefined
      ? Number(log.blockNumber) >= Number(fromBlock) && !(Number(log.blockNumber) > Number(toBlock))
      : log.blockHash === blockHash;
  return isIn && topics.every((one, i) => one === null || one.includes(log.topics[i] ?? '0x'));
}

/** Added to amounts that no event of a sale needs to cover: changed logs may take more than there is. */
const COVER = 2n ** 200n;

function ledgerAt(
  logs: readonly DecodedLog[],
  { saleId, campaignId }: { readonly saleId: string; readonly campaignId: string },
  block: number,
): Hex {
  const own = logs.filter((log) => log.campaignId === campaignId);
  const until = own.filter(({ location }) => Number(location.blockNumber) <= block);
  const native = !logs.some(
    ({ name, args }) => name === 'SaleAttested' && Object(args).saleId === saleId,
  );
  const { proceedsHeld, ...ledger } = ledgerAfter(emptyLedger, until, native);
  const isOpened = until.some(
    ({ name, location }) => name === 'CampaignCreated' && Number(location.blockNumber) === block,
  );
  const cover = isOpened ? 0n : COVER;
  const result = {
    ...ledger,
    proceedsPending: proceedsHeld + cover,
    proceedsClaimable: 0n,
    proceedsClaimed: ledger.proceedsClaimed + cover,
    buyerRefunded: ledger.buyerRefunded + cover,
  };
  if (Object.values(result).some((amount) => amount < 0n)) throw new Refusal(-32_000, 'below zero');
  return encodeFunctionResult({ abi, functionName: 'campaignLedger', result });
}

/** Random changes of what a contract emitted for a sale: logs left out, repeated, moved, or with another argument. */
export function changedLogs({
  contract,
  saleId,
  logs,
}: Lookalike): fc.Arbitrary<readonly RpcLog[]> {
  const about = logsAbout({ contract, saleId, logs });
  const values = [0n, 1n, 2n, 3n, 60n, 10_000n, 1_000_000n, 4_000_000_000n, 2n ** 256n - 1n];
  const change = fc.record({
    log: fc.constantFrom(...about),
    other: fc.constantFrom(...about),
    kind: fc.nat(9),
    at: fc.nat(),
    value: fc.constantFrom(...values),
  });
  return fc.array(change, { minLength: 1, maxLength: 2 }).map((changes) =>
    changes.reduce<readonly RpcLog[]>((changed, one) => {
      const after = applied(changed, one);
      return after.toSorted((a, b) => order(a) - order(b));
    }, logs),
  );
}

/** The contract with no campaign but that of the sale. */
export function withOneCampaign(one: Lookalike): Lookalike {
  const { contract, logs } = one;
  const campaignId = campaignOf(one);
  const isOwn = (log: RpcLog) => decodedOf(log, contract)[0]?.campaignId === campaignId;
  return { ...one, logs: logs.filter(isOwn) };
}

function campaignOf({ contract, saleId, logs }: Lookalike): string | undefined {
  const decoded = logs.flatMap((log) => decodedOf(log, contract));
  return decoded.find(({ name, args }) => name === 'SaleRecorded' && Object(args).saleId === saleId)
    ?.campaignId;
}

/** The logs of a sale and of its campaign, without those of other sales. */
function logsAbout(one: Lookalike): readonly RpcLog[] {
  const { contract, saleId, logs } = one;
  const campaignId = campaignOf(one);
  const decoded = logs.flatMap((log) => decodedOf(log, contract));
  return decoded.flatMap(({ campaignId: campaign, args, location }) => {
    const isAbout = campaign === campaignId && (Object(args).saleId ?? saleId) === saleId;
    return isAbout ? logs.filter((log) => isAt(log, location)) : [];
  });
}

/**
 * The logs with one argument changed, for each argument of each log of a sale. A policy has the hashes of its changed
 * fields, so that other rules are broken than that of the hashes. A log that moves nothing is added, too.
 */
export function eachArgumentChanged(one: Lookalike): readonly (readonly RpcLog[])[] {
  const { logs } = one;
  return logsAbout(one).flatMap((log) => {
    const put = (changed: RpcLog) => logs.map((other) => (other === log ? changed : other));
    const { eventName, args } = decodeEventLog({ abi, topics: log.topics, data: log.data });
    const names = Object.keys({ ...args });
    const changes = names.flatMap((name) =>
      placesOf(Object(args)[name]).flatMap((at) =>
        [0, 2].map((kind) => (old: { readonly [key: string]: Value }) => ({
          [name]: otherValue(old[name] ?? 0n, at, 0n, kind),
        })),
      ),
    );
    const changed = changes.map((change) => put(rehashed(withArguments(log, change))));
    if (!eventName.startsWith('Reward') || !names.includes('level')) return changed;
    const idle = withArguments(placed(log, log, -1, logs), () => ({ amount: 0n }));
    return [...changed, logs.flatMap((other) => (other === log ? [idle, log] : [other]))];
  });
}

/** Numbers that lead `otherValue` to each member of an object, or to the value itself. */
function placesOf(value: unknown): readonly number[] {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? Object.keys(value).map((_, i) => i) : [0];
}

/** The log of a policy with the hashes of its fields; another log as it is. */
function rehashed(log: RpcLog): RpcLog {
  const { eventName } = decodeEventLog({ abi, topics: log.topics, data: log.data });
  if (eventName !== 'PolicyScheduled') return log;
  return withArguments(log, () => ({ ...policyHashesOf(log.data) }));
}

interface Change {
  readonly log: RpcLog;
  readonly other: RpcLog;
  readonly kind: number;
  readonly at: number;
  readonly value: bigint;
}

function applied(logs: readonly RpcLog[], { log, other, kind, at, value }: Change): RpcLog[] {
  const rest = logs.filter((one) => one !== log);
  const next = (index: number) => placed(log, other, index, logs);
  switch (kind) {
    case 0:
      return rest;
    case 1:
      return [...logs, placed(log, log, 1, logs)];
    case 2:
      return [...logs, next(1)];
    case 3:
      return [...rest, next(1)];
    case 4:
      return [...rest, next(-1)];
    default:
      return logs.map((one) => (one === log ? withOtherArgument(log, at, value) : one));
  }
}

/** The log next to another one, in the same transaction. */
function placed(log: RpcLog, next: RpcLog, step: number, logs: readonly RpcLog[]): RpcLog {
  const { blockNumber, blockHash, transactionHash, transactionIndex } = next;
  let index = Number(next.logIndex) + step;
  const taken = new Set(
    logs.filter((one) => one.blockHash === blockHash).map((one) => Number(one.logIndex)),
  );
  while (taken.has(index)) index += step;
  return {
    ...log,
    ...{ blockNumber, blockHash, transactionHash, transactionIndex },
    logIndex: toHex(index),
  };
}

function order(log: RpcLog): number {
  return Number(log.blockNumber) * 1e6 + Number(log.logIndex);
}

function isAt(log: RpcLog, { blockHash, logIndex }: DecodedLog['location']): boolean {
  return log.blockHash === blockHash && Number(log.logIndex) === logIndex;
}

type Value =
  | bigint
  | number
  | boolean
  | string
  | readonly Value[]
  | { readonly [key: string]: Value };

/** The log with one of its arguments, or a part of one, changed; the log as it was if its type has no such value. */
function withOtherArgument(log: RpcLog, at: number, value: bigint): RpcLog {
  return withArguments(log, (args) => {
    const names = Object.keys(args);
    const name = names[at % names.length] ?? '';
    return { [name]: otherValue(args[name] ?? 0n, Math.floor(at / names.length), value) };
  });
}

/** The log with other arguments; the log as it was if their types have no such value. */
export function withArguments(
  log: RpcLog,
  change: (args: { readonly [key: string]: Value }) => { readonly [key: string]: Value },
): RpcLog {
  const { topics, data } = log;
  const decoded = decodeEventLog({ abi, topics, data });
  const item = abi.find((entry) => entry.type === 'event' && entry.name === decoded.eventName);
  if (item?.type !== 'event') throw new Error('There is no such event.');
  const args = { ...decoded.args } as { readonly [key: string]: Value };
  const changed: { readonly [key: string]: Value } = { ...args, ...change(args) };
  const plain = item.inputs.filter((input) => !('indexed' in input && input.indexed));
  try {
    return {
      ...log,
      topics: encodeEventTopics({ abi: [item], args: changed } as never) as [Hex, ...Hex[]],
      data: encodeAbiParameters(plain, plain.map((input) => changed[input.name]) as never),
    };
  } catch {
    return log;
  }
}

function otherValue(old: Value, at: number, value: bigint, kind = at % 3): Value {
  if (Array.isArray(old)) {
    const i = at % (old.length + 2);
    if (i === old.length) return old.slice(0, -1);
    if (i > old.length) return [...old, old.at(-1) ?? 0n];
    return old.map((one, j) => (i === j ? otherValue(one, Math.floor(at / 7), value) : one));
  }
  if (typeof old === 'object') {
    const names = Object.keys(old);
    const name = names[at % names.length] ?? '';
    const next = Math.floor(at / names.length);
    return { ...old, [name]: otherValue(Object(old)[name], next, value, kind) };
  }
  if (typeof old === 'boolean') return !old;
  if (typeof old === 'string') {
    return /^0x([0-9a-f]{2})*$/i.test(old)
      ? pad(toHex(value % 2n ** 100n), { size: (old.length - 2) / 2 })
      : `${old}x`;
  }
  const near = [BigInt(old) + 1n, BigInt(old) - 1n, value][kind] ?? value;
  return typeof old === 'number' ? Number(near) : near;
}

/** Serves RPCs on one port, `/0` is the first; `chain` answers what they pass on. */
export async function serveRpcs(behaviours: readonly Behaviour[], chain: Behaviour) {
  const answer = async (behave: Behaviour, { id, method, params }: JsonRpc) => {
    const question = { method, params };
    try {
      const result = await behave(question, async (one = question) => chain(one, nothing));
      return { jsonrpc: '2.0', id, result };
    } catch (error) {
      const code = error instanceof Refusal ? error.code : -32_603;
      return { jsonrpc: '2.0', id, error: { code, message: 'refused' } };
    }
  };
  const server = createServer(async (request, response) => {
    const behave = behaviours[Number(request.url?.slice(1))];
    const asked: JsonRpc[] = JSON.parse(await text(request));
    const answers = await Promise.all(asked.map((one) => answer(behave ?? chain, one)));
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answers));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: (i: number) => `http://127.0.0.1:${port}/${i}`,
    stop: () => new Promise((resolve) => server.close(resolve)),
  };
}

async function nothing(): Promise<never> {
  throw new Error('This RPC has none behind it.');
}

interface JsonRpc {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
}
