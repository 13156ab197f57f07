import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { REVERSAL_SECONDS } from '../../engine/core/fold/index.ts';
import { type DecodedLog, decodeLogs, logsOf } from '../../engine/verify/chain/decode.ts';
import { historyProblems } from '../../engine/verify/history/index.ts';
import type { History } from '../../engine/verify/history/walk.ts';
import { batchingClient } from './clients.ts';
import { receiptsOf } from './receipt.ts';
import { playSales, startVerifyFixture, type VerifyFixture } from './verify-fixture.ts';

let scene: VerifyFixture;
let sales: Awaited<ReturnType<typeof playSales>>;
let receiptFor: Awaited<ReturnType<typeof receiptsOf>>;
let logs: DecodedLog[];

beforeAll(async () => {
  scene = await startVerifyFixture();
  sales = await playSales(scene);
  receiptFor = await receiptsOf(scene.chain);
  const { anvil, contract } = scene.chain;
  const { client } = batchingClient(anvil.url);
  const raw = await client.request({
    method: 'eth_getLogs',
    params: [{ address: contract, fromBlock: '0x0' }],
  });
  logs = decodeLogs(raw, contract);
});
afterAll(() => scene?.chain.stop());

/** A sale's history as it was; its times are the soonest that the protocol allows. */
function historyOf(saleId: bigint): History {
  const events = logs.filter(
    (log) => 'saleId' in log.args && log.args.saleId === saleId.toString(),
  );
  const [record] = logsOf(events, 'SaleRecorded');
  if (record === undefined) throw new Error(`There is no sale ${saleId}.`);
  const { holdUntil } = record.args;
  return {
    record,
    events,
    path: receiptFor(saleId).path,
    finalizedAt: events.some(({ name }) => name === 'SaleFinalized') ? holdUntil : null,
    reversedAt: events.some(({ name }) => name === 'SaleReversed')
      ? holdUntil + REVERSAL_SECONDS
      : null,
    claims: logsOf(logs, 'RewardsClaimed').filter(
      ({ campaignId }) => campaignId === record.campaignId,
    ),
  };
}

/** The history with its events of a name changed or, by `[]`, taken out. */
function changed(
  history: History,
  name: string,
  change: (log: DecodedLog) => DecodedLog[],
): History {
  const events = history.events.flatMap((log) => (log.name === name ? change(log) : [log]));
  return { ...history, events };
}

/** A log with other arguments; its JSON is not looked at here. */
function withArgs(log: DecodedLog, args: object): DecodedLog {
  return { ...log, args: { ...log.args, ...args } } as DecodedLog;
}

describe('historyProblems', () => {
  it('finds no problem in the events of the contract', () => {
    const problems = Object.values(sales).map((id) => historyProblems(historyOf(id)));
    expect(problems.flat()).toEqual([]);
  });

  it.each<[string, keyof typeof sales, (history: History) => History, RegExp]>([
    [
      'a release is missing',
      'partlyRefunded',
      (history) => ({ ...history, events: history.events.filter((_, i) => i !== 1) }),
      /^After the refund level 1 holds \d+ base units; \d+ should be left\.$/,
    ],
    [
      'a release is a unit short',
      'fullyRefunded',
      (history) =>
        changed(history, 'RewardReleased', (log) => [
          log.name === 'RewardReleased' && log.args.level === 2
            ? withArgs(log, { amount: log.args.amount - 1n })
            : log,
        ]),
      /^After the refund level 2 holds 23138 base units; 23137 should be left\.$/,
    ],
    [
      'a refund counts wrong',
      'partlyRefunded',
      (history) =>
        changed(history, 'SaleRefunded', (log) => [withArgs(log, { refundedTotal: 9n })]),
      /^SaleRefunded says 9 of 1000000 base units are refunded; its refunds sum to 33333\d\.$/,
    ],
    [
      'a refund pays another buyer',
      'partlyRefunded',
      (history) => changed(history, 'SaleRefunded', (log) => [withArgs(log, { buyer: '0x01' })]),
      /^SaleRefunded names buyer 0x01, not 0x/,
    ],
    [
      'it was refunded after the whole refund',
      'fullyRefunded',
      (history) => ({ ...history, events: [...history.events, ...history.events.slice(-1)] }),
      /^SaleRefunded followed while the sale was refunded, not pending\.$/,
    ],
    [
      'it was finalized a second early',
      'finalized',
      (history) => ({ ...history, finalizedAt: history.record.args.holdUntil - 1 }),
      /^The sale was finalized at .*Z, before its hold ended at .*Z\.$/,
    ],
    [
      'a refund before the finalization is missing',
      'refundedAndFinalized',
      (history) => ({
        ...history,
        events: history.events.filter(
          ({ name }) => name !== 'SaleRefunded' && name !== 'RewardReleased',
        ),
      }),
      /^SaleFinalized says 999999 base units were refunded before; the refunds sum to 0\.$/,
    ],
    [
      'the finalization counts the refunds wrong',
      'refundedAndFinalized',
      (history) =>
        changed(history, 'SaleFinalized', (log) => [withArgs(log, { refundedTotal: 9n })]),
      /^SaleFinalized says 9 base units were refunded before; the refunds sum to \d+\.$/,
    ],
    [
      'a level was not vested',
      'finalized',
      (history) =>
        changed(history, 'RewardVested', (log) =>
          'level' in log.args && log.args.level === 5 ? [] : [log],
        ),
      /^Finalizing left \d+ base units of level 5 unvested\.$/,
    ],
    [
      'a level vested more than it held',
      'finalized',
      (history) =>
        changed(history, 'RewardVested', (log) =>
          log.name === 'RewardVested' ? [withArgs(log, { amount: log.args.amount + 1n })] : [log],
        ),
      /^RewardVested moved \d+ base units of level 1, which held \d+\.$/,
    ],
    [
      'a level vested to somebody else',
      'claimed',
      (history) =>
        changed(history, 'RewardVested', (log) => [withArgs(log, { recipient: '0x01' })]),
      /^RewardVested of level 1 names node \d+ of 0x01; the level is node \d+ of 0x/,
    ],
    [
      'there is no such level',
      'claimed',
      (history) => changed(history, 'RewardVested', (log) => [withArgs(log, { level: 6 })]),
      /^RewardVested names level 6; the sale has 5\.$/,
    ],
    [
      'the vesting is closed by nothing',
      'claimed',
      (history) => changed(history, 'SaleFinalized', () => []),
      /^RewardVested of level 1 is closed by no event\.$/,
    ],
    [
      'the vesting is of another transaction',
      'claimed',
      (history) =>
        changed(history, 'SaleFinalized', (log) => [
          { ...log, location: { ...log.location, transactionHash: '0x01' } },
        ]),
      /^RewardVested of level 1 does not belong to the SaleFinalized after it\.$/,
    ],
    [
      'it was finalized twice',
      'direct',
      (history) => {
        const closer = logsOf(logs, 'SaleFinalized').slice(0, 1);
        return { ...history, events: [...history.events, ...closer, ...closer] };
      },
      /^SaleFinalized followed while the sale was finalized, not pending\.$/,
    ],
    [
      'it was reversed a second late',
      'reversed',
      (history) => ({ ...history, reversedAt: (history.reversedAt ?? 0) + 1 }),
      /^The sale was reversed 2592001 s after it was finalized; 2592000 s are allowed\.$/,
    ],
    [
      'a level was reversed that had been claimed',
      'reversed',
      (history) => changed(history, 'RewardReversed', (log) => [log, withArgs(log, { level: 2 })]),
      /^RewardReversed of level 2 names node/,
    ],
    [
      'a level was left that had not been claimed',
      'reversed',
      (history) => ({ ...history, claims: [] }),
      /^Level 2 was reversed by 0 base units; its recipient had not claimed, so it should be 23333\.$/,
    ],
    [
      'a claim came before the vesting',
      'reversedLater',
      (history) =>
        changed(history, 'RewardReversed', (log) =>
          'level' in log.args && log.args.level === 2 ? [] : [log],
        ),
      /^Level 2 was reversed by 0 base units; its recipient had not claimed/,
    ],
    [
      'a sale without an attestation was reversed',
      'reversed',
      (history) => changed(history, 'SaleAttested', () => []),
      /^A sale without an attestation was reversed\.$/,
    ],
    [
      'it was attested after it was recorded',
      'attested',
      (history) => ({
        ...history,
        events: [
          ...history.events.slice(1, 2),
          ...history.events.slice(0, 1),
          ...history.events.slice(2),
        ],
      }),
      /^SaleAttested followed while the sale was pending, not unrecorded\.$/,
    ],
  ])('reports a problem if %s', (_, name, change, problem) => {
    const [first] = historyProblems(change(historyOf(sales[name])));
    expect(first).toMatch(problem);
  });
});
