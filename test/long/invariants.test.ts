import { type Address, decodeErrorResult, encodeFunctionData, type Hex } from 'viem';
import { expect, it } from 'vitest';
import { referralCommerceAbi } from '../../abis/index.ts';
import { blocklistTokenAbi, blocklistTokenBytecode } from '../../abis/test/blocklistToken.ts';
import { feeTokenAbi, feeTokenBytecode } from '../../abis/test/feeToken.ts';
import { hostileTokenAbi, hostileTokenBytecode } from '../../abis/test/hostileToken.ts';
import { invariantHandlerAbi, invariantHandlerBytecode } from '../../abis/test/invariantHandler.ts';
import { misbehavingTokenAbi, misbehavingTokenBytecode } from '../../abis/test/misbehavingToken.ts';
import {
  by,
  type Client,
  day,
  deploy,
  hour,
  type Refusal,
  refusal,
  sent,
  useWorld,
  type World,
} from '../contracts/support.ts';
import { receiptOf } from '../support/chain.ts';

const world = useWorld();

/** Calls of a sequence, which is one transaction. */
const steps = 20n;
const sequencesOfHistory = 50;
/** A history begins without campaigns, and each of its sequences continues the one before. */
const histories = 40;
/** Seconds between two sequences, in turn by history: a hold lasts hours, a campaign days. */
const intervals = [90n, hour / 3n, 5n * hour, day];

/** The handler's actions in the order of its enum, and how often each must do something. */
const actions = {
  create: 100n,
  fund: 700n,
  join: 250n,
  buy: 300n,
  buyFor: 300n,
  attestAsMerchant: 800n,
  attestAsThirdParty: 600n,
  refund: 700n,
  finalize: 500n,
  reverse: 300n,
  claimRewards: 170n,
  claimProceeds: 50n,
  withdrawSurplus: 300n,
  withdrawCredit: 15n,
  pause: 90n,
  resume: 60n,
  end: 80n,
  setPrice: 800n,
  schedulePolicy: 600n,
  donate: 700n,
  changeToken: 700n,
} as const;

/** Ordinals of the handler's enum of invariants. */
const balanceCoversObligations = 0;

type Handler = { readonly address: Address; readonly misbehaving: Address };

/** More gas than other calls need: a sequence is many calls. */
const plenty = { gas: 16_700_000n } as const;

async function deployHandler(w: World): Promise<Handler> {
  const fee = await deploy(w.client, feeTokenAbi, feeTokenBytecode, [300n]);
  const blocklist = await deploy(w.client, blocklistTokenAbi, blocklistTokenBytecode);
  const misbehaving = await deploy(w.client, misbehavingTokenAbi, misbehavingTokenBytecode);
  const hostile = await deploy(w.client, hostileTokenAbi, hostileTokenBytecode);
  const tokens = [w.token.address, fee, blocklist, misbehaving, hostile] as const;
  const contract = { abi: invariantHandlerAbi, bytecode: invariantHandlerBytecode } as const;
  const args = [w.commerce.address, tokens] as const;
  const hash = await w.client.deployContract({ ...contract, args, ...by(w.stranger), ...plenty });
  const { contractAddress, status } = await receiptOf(w.client, hash);
  if (!contractAddress || status !== 'success') throw new Error('The handler was not deployed.');
  return { address: contractAddress, misbehaving };
}

function at({ address }: Handler) {
  return { abi: invariantHandlerAbi, address } as const;
}

/** Runs a sequence; returns what the handler reported, if anything. */
async function run(w: World, handler: Handler, seed: bigint): Promise<Refusal | undefined> {
  const call = { ...at(handler), functionName: 'run', args: [seed, steps] } as const;
  const hash = await w.client.writeContract({ ...call, ...by(w.stranger), ...plenty });
  const { status } = await receiptOf(w.client, hash);
  if (status === 'success') return undefined;
  const data = await outputOf(w.client, hash);
  const { errorName, args } = decodeErrorResult({ abi: invariantHandlerAbi, data });
  return { error: errorName, values: args ?? [] };
}

/** What a reverted transaction returned. */
async function outputOf(client: Client, hash: Hex): Promise<Hex> {
  const options = { tracer: 'callTracer', tracerConfig: { onlyTopCall: true } };
  const request = { method: 'debug_traceTransaction', params: [hash, options] };
  const { output }: { output: Hex } = await client.request(request as never);
  return output;
}

/** Checks the present state, first as a sequence does after each call, then by account and by sale. */
async function inspect({ client }: World, handler: Handler): Promise<Refusal | undefined> {
  const checks = [
    () => client.simulateContract({ ...at(handler), functionName: 'run', args: [0n, 0n] }),
    () => client.readContract({ ...at(handler), functionName: 'audit' }),
  ];
  for (const check of checks) {
    const reported = await check().then(
      () => undefined,
      (error: unknown) => refusal(Promise.reject(error)),
    );
    if (reported !== undefined) return reported;
  }
  return undefined;
}

/** Runs the sequences of a history; throws if the handler reports anything. */
async function runHistory(w: World, handler: Handler, history: number): Promise<void> {
  const interval = Number(intervals[history % intervals.length]);
  await w.client.setBlockTimestampInterval({ interval });
  for (let sequence = 0; sequence < sequencesOfHistory; sequence++) {
    const seed = BigInt(history * sequencesOfHistory + sequence);
    expect(await run(w, handler, seed), `history ${history}`).toBeUndefined();
  }
  expect(await inspect(w, handler), `history ${history}`).toBeUndefined();
}

it('breaks no invariant in thousands of random sequences of calls, with tokens that misbehave', async () => {
  const w = world();
  const handler = await deployHandler(w);
  const names = Object.keys(actions);
  const totals = names.map(() => 0n);
  for (let history = 0; history < histories; history++) {
    const id = await w.client.snapshot();
    await runHistory(w, handler, history);
    const counts = await w.client.readContract({ ...at(handler), functionName: 'successes' });
    for (const [i, count] of counts.entries()) totals[i] = (totals[i] ?? 0n) + count;
    await w.client.revert({ id });
  }
  expect(totals).toHaveLength(names.length);
  // One by one would name only the first that falls short.
  const tooFew = Object.entries(actions).filter(([, least], i) => (totals[i] ?? 0n) < least);
  expect(tooFew, totals.join()).toEqual([]);
}, 600_000);

it('reports a token that has taken from the contract what it owes, with the seed and the step', async () => {
  const w = world();
  const handler = await deployHandler(w);
  const { misbehaving } = handler;
  await runHistory(w, handler, 0);
  const owed = await w.commerce.read.obligationsOf([misbehaving]);
  expect(owed).toBeGreaterThan(0n);
  const token = { abi: misbehavingTokenAbi, address: misbehaving } as const;
  const args = [w.commerce.address, owed - 1n] as const;
  const change = { ...token, functionName: 'setBalance', args } as const;
  await sent(w, w.client.writeContract({ ...change, ...by(w.stranger) }));
  const misbehavingNumber = 3n;
  expect(await run(w, handler, 77n)).toEqual({
    error: 'InvariantBroken',
    values: [77n, 0n, 0, balanceCoversObligations, misbehavingNumber, owed - 1n, owed],
  });
});

it('reports every sum of the ledger that is off by one unit', async () => {
  const w = world();
  const { client } = w;
  const handler = await deployHandler(w);
  await runHistory(w, handler, 1);
  const { token } = await w.commerce.read.campaign([1n]);
  const reads = (['campaignLedger', 'obligationsOf'] as const).map((functionName) => ({
    to: w.commerce.address,
    data: encodeFunctionData({
      abi: referralCommerceAbi,
      ...(functionName === 'obligationsOf'
        ? { functionName, args: [token] }
        : { functionName, args: [1n] }),
    }),
  }));
  let changed = 0;
  for (const read of reads) {
    const before = await client.call(read);
    const { accessList } = await client.createAccessList(read);
    for (const index of accessList.flatMap(({ storageKeys }) => storageKeys)) {
      const value = await client.getStorageAt({ address: read.to, slot: index });
      // Most slots have two sums of 128 bits.
      for (const unit of [1n, 2n ** 128n]) {
        const write = (word: bigint) =>
          client.setStorageAt({
            address: read.to,
            index,
            value: `0x${word.toString(16).padStart(64, '0')}`,
          });
        await write(BigInt(value ?? 0) ^ unit);
        const after = await client.call(read).catch(() => undefined);
        if (after?.data !== before.data) {
          changed += 1;
          const reported = await inspect(w, handler);
          expect(reported?.error, `slot ${index}, unit ${unit}`).toBe('InvariantBroken');
        }
        await write(BigInt(value ?? 0));
      }
    }
  }
  // Seven sums share slots, and three sums and the obligations have one each.
  expect(changed).toBe(7 + 2 * 4);
  expect(await inspect(w, handler)).toBeUndefined();
});
