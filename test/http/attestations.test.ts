import { readFile } from 'node:fs/promises';
import { transform } from 'esbuild';
import { type Hex, keccak256, toHex, zeroAddress } from 'viem';
import { type HDAccount, mnemonicToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contractWalletAbi, contractWalletBytecode } from '../../abis/test/contractWallet.ts';
import { projectRoot } from '../../engine/cli/stack/processes.ts';
import type { Client } from '../../engine/client/index.ts';
import type { MethodOf, OutputOf } from '../../engine/contract/types.ts';
import * as act from '../support/actions.ts';
import { deployToken, mined, type TestChain } from '../support/chain.ts';
import { lower } from '../support/facts.ts';
import { blocksOf } from '../support/walkthrough.ts';
import { away, LiveFixture } from './support/live-fixture.ts';

type Prepared = OutputOf<MethodOf<'operations.pause'>>;

/** The accounts of anvil, whose keys everybody knows. */
const wallet = (addressIndex: number): HDAccount =>
  mnemonicToAccount('test test test test test test test test test test test junk', {
    addressIndex,
  });
const [merchant, buyer, seller, attester, stranger] = [1, 2, 3, 4, 5].map(wallet) as [
  ...[HDAccount, HDAccount, HDAccount, HDAccount, HDAccount],
];
const modes = { MERCHANT_ATTESTED: 1, THIRD_PARTY_VERIFIED: 2 } as const;

describe('sales that were paid outside the contract', () => {
  let live: LiveFixture;
  let chain: TestChain;
  let token: Hex;
  let shop: Client;
  let orders = 0;

  beforeAll(async () => {
    live = await LiveFixture.open();
    chain = live.chain;
    token = await deployToken(chain);
    shop = await live.fixture.clientAs(lower(merchant.address));
  });
  afterAll(() => live.close());

  const orderKey = () => keccak256(toHex(`order ${++orders}`));

  /** A funded campaign with one link, and the attester allowed if it needs one. */
  async function open(mode: keyof typeof modes) {
    const id = await act.createCampaign(chain, merchant.address, token, {
      input: { trustMode: modes[mode] },
    });
    await act.fund(chain, { id, token }, merchant.address, 1_000_000n);
    const nodeId = String(await act.join(chain, id, seller.address));
    await live.syncToHead();
    return { campaignId: String(id), nodeId };
  }

  /** Sends what was prepared, from an account, and settles. */
  async function send(from: HDAccount, { transactions }: Pick<Prepared, 'transactions'>) {
    if (transactions.length === 0) throw new Error('There is nothing to sign.');
    for (const { transaction } of transactions) {
      expect(transaction.simulation).toMatchObject({ status: 'success', error: null });
      const { to, data } = transaction;
      const sent = { account: from.address, to: lower(to), data: lower(data) };
      await mined(chain.client, await chain.client.sendTransaction(sent));
    }
    await live.syncToHead();
  }

  async function prepared(
    input: Parameters<Client['attestations']['prepare']>[0],
    signer: HDAccount,
  ) {
    const { data } = await shop.attestations.prepare(input);
    if (data.typedData === null || data.attestation === null) throw new Error(data.status);
    return {
      data,
      attestation: data.attestation,
      signature: await signer.signTypedData(data.typedData),
    };
  }

  async function ledgerOf(campaignId: string) {
    return (await shop.campaigns.get({ campaignId })).data;
  }

  it.each(['MERCHANT_ATTESTED', 'THIRD_PARTY_VERIFIED'] as const)(
    'runs the example of docs/use/trust-modes.md in a campaign that is %s',
    async (mode) => {
      const { campaignId, nodeId } = await open(mode);
      const signer = mode === 'MERCHANT_ATTESTED' ? merchant : attester;
      const page = await readFile(`${projectRoot}/docs/use/trust-modes.md`, 'utf8');
      const examples = blocksOf(page).filter(({ language }) => language === 'ts');
      expect(examples).toHaveLength(3);
      const [allow, record, refund] = examples.map(({ text }) => text);
      const thirdParty = mode === 'THIRD_PARTY_VERIFIED';
      const given = {
        ...{ shop, signer, campaignId, nodeId, buyer: lower(buyer.address), keccak256, toHex },
        send: (one: Prepared) => send(merchant, one),
        saleIdOf: async () =>
          (await shop.receipts.forMerchant({ campaignId })).data.items[0]?.saleId,
      };
      await run(
        `
        ${thirdParty ? allow : ''}
        ${record}
        const saleId = await saleIdOf();
        ${thirdParty ? refund : ''}`,
        given,
      );
      const { data } = await shop.receipts.forMerchant({ campaignId });
      expect(data.items).toMatchObject([
        {
          ...{ buyer: lower(buyer.address), amount: '1000000', state: 'pending' },
          refundedTotal: thirdParty ? '400000' : '0',
        },
      ]);
      const { rewardLedger, proceedsLedger } = await ledgerOf(campaignId);
      expect(rewardLedger.pendingReserved).toBe(thirdParty ? '60000' : '100000');
      expect(proceedsLedger.proceedsPending).toBe('0');
      expect((await shop.system.status()).data.discrepancies.count).toBe(0);
    },
  );

  it.each(['MERCHANT_ATTESTED', 'THIRD_PARTY_VERIFIED'] as const)(
    'shows what a sale, its finalization and its reversal change in a campaign that is %s',
    async (mode) => {
      const { campaignId, nodeId } = await open(mode);
      const signer = mode === 'MERCHANT_ATTESTED' ? merchant : attester;
      const isSigned = mode === 'THIRD_PARTY_VERIFIED';
      if (isSigned)
        await act.send(chain, merchant.address, 'allowAttester', [
          BigInt(campaignId),
          attester.address,
          ...act.NO_LIMITS,
        ]);
      await live.syncToHead();
      const order = {
        campaignId,
        nodeId,
        buyer: buyer.address,
        amount: '2000000',
        orderKey: orderKey(),
      };
      const { data, attestation, signature } = await prepared(order, signer);
      expect(data).toMatchObject({
        status: 'ready',
        saleId: null,
        signers: [lower(signer.address)],
      });
      expect(data.preview).toEqual(
        expect.arrayContaining([
          change('campaign', campaignId, 'rewardLedger.available', '1000000', '800000'),
          change('campaign', campaignId, 'rewardLedger.pendingReserved', '0', '200000'),
          change('account', lower(seller.address), 'reserved', '0', '200000'),
        ]),
      );
      // A stranger relays it.
      const relay = await live.fixture.clientAs(lower(stranger.address));
      const { data: submitted } = await relay.attestations.submit({ attestation, signature });
      expect(submitted).toMatchObject({
        status: 'ready',
        signer: lower(signer.address),
        saleId: null,
      });
      expect(submitted.preview).toEqual(data.preview);
      await send(stranger, submitted);
      for (const { data: again } of [
        await shop.attestations.prepare(order),
        await relay.attestations.submit({ attestation, signature }),
      ]) {
        expect(again).toMatchObject({
          status: 'in_effect',
          preview: [],
          saleId: expect.any(String),
        });
      }
      const { data: recorded } = await shop.attestations.prepare(order);
      const saleId = recorded.saleId ?? '';

      await act.advance(chain, 61);
      await live.syncToHead();
      await send(merchant, (await shop.operations.finalize({ campaignId })).data);
      const { data: early } = await shop.operations.reverse({ saleId, reason: 'Fraud.' });
      expect(early.preview).toEqual(
        expect.arrayContaining([
          change('campaign', campaignId, 'rewardLedger.available', '800000', '1000000'),
          change('sale', saleId, 'state', 'finalized', 'reversed'),
          change('account', lower(seller.address), 'claimable', '200000', '0'),
          change('account', lower(seller.address), 'reversed', '0', '200000'),
        ]),
      );
      expect(early.status).toBe(isSigned ? 'needs_approval' : 'ready');
      expect(early.transactions).toHaveLength(isSigned ? 0 : 1);
      const reversal = isSigned ? await approved(saleId, early) : early;
      expect(reversal.preview).toEqual(early.preview);
      await send(merchant, reversal);
      expect((await shop.operations.reverse({ saleId })).data.status).toBe('in_effect');
      expect((await ledgerOf(campaignId)).rewardLedger.available).toBe('1000000');
    },
  );

  /** The reversal with the signature of the attester. */
  async function approved(saleId: string, { approval }: OutputOf<MethodOf<'operations.reverse'>>) {
    if (approval === null) throw new Error('There is nothing to approve.');
    expect(approval.attester).toBe(lower(attester.address));
    const { deadline } = approval;
    expect(Date.parse(deadline) / 1_000).toBe(Number(approval.typedData.message.deadline));
    const wrong = { signature: await stranger.signTypedData(approval.typedData), deadline };
    const input = { saleId, reason: 'Fraud.' };
    const { data: refused } = await shop.operations.reverse({ ...input, approval: wrong });
    expect(refused).toMatchObject({ status: 'refused', reasons: [{ error: 'InvalidSignature' }] });
    const signature = await attester.signTypedData(approval.typedData);
    const signed = await shop.operations.reverse({ ...input, approval: { signature, deadline } });
    return signed.data;
  }

  it('warns of rewards that were claimed before a reversal', async () => {
    const { campaignId, nodeId } = await open('MERCHANT_ATTESTED');
    const order = {
      campaignId,
      nodeId,
      buyer: buyer.address,
      amount: '1000000',
      orderKey: orderKey(),
    };
    const { attestation, signature } = await prepared(order, merchant);
    await send(merchant, (await shop.attestations.submit({ attestation, signature })).data);
    await act.advance(chain, 61);
    await live.syncToHead();
    await send(merchant, (await shop.operations.finalize({ campaignId })).data);
    await act.send(chain, seller.address, 'claimRewards', [[BigInt(campaignId)]]);
    await live.syncToHead();
    const saleId = (await shop.attestations.prepare(order)).data.saleId ?? '';
    const { data } = await shop.operations.reverse({ saleId });
    expect(data.warnings).toEqual([
      { code: 'FINAL', message: expect.any(String) },
      { code: 'ALREADY_CLAIMED', message: expect.stringContaining('0.10 TUSD stays') },
    ]);
    expect(data.preview).toEqual([change('sale', saleId, 'state', 'finalized', 'reversed')]);
    await send(merchant, data);
    expect((await ledgerOf(campaignId)).rewardLedger.rewardsClaimed).toBe('100000');
  });

  it('says which check an attestation fails', async () => {
    const { campaignId, nodeId } = await open('MERCHANT_ATTESTED');
    const order = { campaignId, nodeId, buyer: buyer.address, amount: '1', orderKey: orderKey() };
    const { attestation, signature } = await prepared(order, merchant);
    const hash: Hex = `0x${'ab'.repeat(32)}`;
    const changes: [Partial<typeof attestation>, string][] = [
      [{ termsHash: hash }, 'WrongTerms'],
      [{ nodeOwner: zeroAddress }, 'WrongNodeOwner'],
      [{ nodeId: '4242' }, 'UnknownNode'],
      [{ nodeId: 'demo-1' }, 'UnknownNode'],
      [{ deadline: '1' }, 'SignatureExpired'],
      [{ deadline: '18446744073709551615' }, 'ValidityTooLong'],
      [{ amount: '2' }, 'InvalidSignature'],
      [{ nonce: '7' }, 'InvalidSignature'],
    ];
    for (const [changed, error] of changes) {
      const wrong = { attestation: { ...attestation, ...changed }, signature };
      const { data } = await shop.attestations.submit(wrong);
      expect(
        data.reasons.map((reason) => reason.error),
        error,
      ).toContain(error);
      expect(data).toMatchObject({ status: 'refused', transactions: [], signer: null });
    }
    const unknown = { ...attestation, campaignId: '4242' };
    await expect(
      shop.attestations.submit({ attestation: unknown, signature }),
    ).rejects.toMatchObject({ status: 404 });
    const offline = await live.fixture.clientAs(lower(merchant.address), { client: away });
    const forged = await offline.attestations.submit({
      attestation: { ...attestation, amount: '2' },
      signature,
    });
    expect(forged.data.warnings.map(({ code }) => code)).toContain('UNCHECKED_SIGNATURE');
    await expect(offline.attestations.prepare(order)).rejects.toMatchObject({ code: 'NOT_READY' });
    const late = { ...order, deadline: '2099-01-01T00:00:00Z' };
    await expect(shop.attestations.prepare(late)).rejects.toMatchObject({
      code: 'UNPROCESSABLE',
      issues: [{ path: 'deadline' }],
    });
    const other = await live.fixture.clientAs(lower(stranger.address));
    await expect(other.attestations.prepare(order)).rejects.toMatchObject({ status: 403 });
    const native = String(await act.createCampaign(chain, merchant.address, token));
    await live.syncToHead();
    const { data } = await shop.attestations.prepare({ ...order, nodeId: '0', campaignId: native });
    expect(data.reasons.map(({ error }) => error)).toEqual(['WrongTrustMode', 'WrongState']);
    expect(data).toMatchObject({ typedData: null, digest: null, attestation: null });
  });

  it('records a sale for which a contract wallet signed as the merchant', async () => {
    const { client } = chain;
    const hash = await client.deployContract({
      abi: contractWalletAbi,
      bytecode: contractWalletBytecode,
      account: attester.address,
    });
    const wallet = (await mined(client, hash)).contractAddress;
    if (!wallet) throw new Error('The wallet was not deployed.');
    await client.impersonateAccount({ address: wallet });
    await client.setBalance({ address: wallet, value: 10n ** 18n });
    const input = { trustMode: modes.MERCHANT_ATTESTED };
    const id = await act.createCampaign(chain, wallet, token, { input });
    await act.fund(chain, { id, token }, wallet, 1_000_000n);
    await live.syncToHead();
    const { attestations } = await live.fixture.clientAs(lower(wallet));
    const order = {
      campaignId: String(id),
      buyer: buyer.address,
      amount: '1',
      orderKey: orderKey(),
    };
    const { data } = await attestations.prepare(order);
    expect(data.signers).toEqual([lower(wallet)]);
    if (data.typedData === null || data.attestation === null) throw new Error(data.status);
    const { attestation } = data;
    const submit = async (signer: HDAccount) => {
      const signature = await signer.signTypedData(data.typedData as never);
      return (await attestations.submit({ attestation, signature })).data;
    };
    expect(await submit(stranger)).toMatchObject({
      ...{ status: 'refused', signer: null, reasons: [{ error: 'InvalidSignature' }] },
    });
    const signed = await submit(attester);
    expect(signed).toMatchObject({
      status: 'ready',
      signer: lower(wallet),
      warnings: [{ code: 'BUDGET' }],
    });
    await send(stranger, signed);
    expect((await attestations.prepare(order)).data.status).toBe('in_effect');
  });

  it('says in advance which limit of an attester a sale exceeds', async () => {
    const { campaignId } = await open('THIRD_PARTY_VERIFIED');
    const { timestamp } = await chain.client.getBlock();
    const limits = [100n, 150n, timestamp + 200_000n] as const;
    const allow = (account: HDAccount, given: readonly [bigint, bigint, bigint] = limits) =>
      act.send(chain, merchant.address, 'allowAttester', [
        BigInt(campaignId),
        account.address,
        ...given,
      ]);
    await allow(attester);
    await live.syncToHead();
    const order = (amount: string) => ({
      ...{ campaignId, buyer: buyer.address, amount, orderKey: orderKey() },
    });
    const reasonsOf = async (amount: string) =>
      (await shop.attestations.prepare(order(amount))).data.reasons;
    expect(await reasonsOf('101')).toEqual([
      { error: 'AboveOrderLimit', message: expect.stringContaining('at most 100 base units') },
    ]);
    const { data: ready, ...first } = await prepared(order('100'), attester);
    expect(ready.signers).toEqual([lower(attester.address)]);
    const { data: _ready, ...spare } = await prepared(order('90'), attester);
    await send(stranger, (await shop.attestations.submit(first)).data);
    expect(await reasonsOf('51')).toEqual([
      { error: 'AboveDailyLimit', message: expect.stringContaining('100 of 150 base units') },
    ]);
    expect(await reasonsOf('50')).toEqual([]);
    // Another attester may sign what this one may not.
    await allow(stranger);
    await live.syncToHead();
    const { data } = await shop.attestations.prepare(order('90'));
    expect(data).toMatchObject({ status: 'ready', signers: [lower(stranger.address)] });
    expect((await shop.attestations.submit(spare)).data).toMatchObject({
      ...{ status: 'refused', signer: lower(attester.address), transactions: [] },
      reasons: [{ error: 'AboveDailyLimit' }],
    });
    // The next day, before the permission ends, and after.
    await act.advance(chain, 86_400);
    await live.syncToHead();
    expect(await reasonsOf('100')).toEqual([]);
    await act.advance(chain, 200_000);
    await live.syncToHead();
    const ended = { error: 'AttesterNotAllowed', message: expect.stringContaining(' ended at ') };
    expect(await reasonsOf('1')).toEqual([ended, ended]);
  });

  it('reports what the contract says about limits that sales reach before they are settled', async () => {
    const { campaignId } = await open('THIRD_PARTY_VERIFIED');
    const limits = [100n, 150n, act.FAR_FUTURE] as const;
    await act.send(chain, merchant.address, 'allowAttester', [
      BigInt(campaignId),
      attester.address,
      ...limits,
    ]);
    await live.syncToHead();
    const order = () => ({
      ...{ campaignId, buyer: buyer.address, amount: '100', orderKey: orderKey() },
    });
    const signed = async () => {
      const { attestation, signature } = await prepared(order(), attester);
      return { attestation, signature };
    };
    const [first, second] = [await signed(), await signed()];
    const { data } = await shop.attestations.submit(first);
    const [step] = data.transactions;
    if (step === undefined) throw new Error('There is nothing to sign.');
    const sent = { to: lower(step.transaction.to), data: lower(step.transaction.data) };
    const hash = await chain.client.sendTransaction({ account: stranger.address, ...sent });
    await mined(chain.client, hash);
    expect((await shop.attestations.submit(second)).data).toMatchObject({
      status: 'refused',
      reasons: [{ error: 'AboveDailyLimit', message: expect.stringContaining(', 100, 50)') }],
    });
    await live.syncToHead();
  });

  it('refuses to attest a self-referral that the policy excludes, at each rewarded level', async () => {
    const id = await act.createCampaign(chain, merchant.address, token, {
      input: { trustMode: modes.MERCHANT_ATTESTED },
      policy: { excludesSelfReferral: true, maxRewardedAncestors: 2, weightsBps: [6_000, 4_000] },
    });
    await act.fund(chain, { id, token }, merchant.address, 1_000_000n);
    const nodes: bigint[] = [];
    for (const owner of [buyer, seller, stranger]) {
      nodes.push(await act.join(chain, id, owner.address, nodes.at(-1)));
    }
    await live.syncToHead();
    const prepare = async (nodeId: bigint) =>
      (
        await shop.attestations.prepare({
          ...{ campaignId: String(id), nodeId: String(nodeId), buyer: buyer.address },
          ...{ amount: '1000', orderKey: orderKey() },
        })
      ).data;
    const [own = 0n, below = 0n, beyond = 0n] = nodes;
    for (const nodeId of [own, below]) {
      expect(await prepare(nodeId)).toMatchObject({
        status: 'refused',
        reasons: [{ error: 'SelfReferral' }],
      });
    }
    for (const nodeId of [beyond, 0n]) expect((await prepare(nodeId)).status).toBe('ready');
  });

  it('accepts signatures of allowed attesters only, and never the merchant’s, in a verified campaign', async () => {
    const { campaignId } = await open('THIRD_PARTY_VERIFIED');
    const order = { campaignId, buyer: buyer.address, amount: '1', orderKey: orderKey() };
    expect((await shop.attestations.prepare(order)).data.reasons).toMatchObject([
      { error: 'AttesterNotAllowed' },
    ]);
    for (const account of [attester.address, merchant.address]) {
      await act.send(chain, merchant.address, 'allowAttester', [
        BigInt(campaignId),
        account,
        ...act.NO_LIMITS,
      ]);
    }
    await live.syncToHead();
    const { data, attestation, signature } = await prepared(order, attester);
    const submit = async (given: Hex) =>
      (await shop.attestations.submit({ attestation, signature: given })).data;
    expect(await submit(signature)).toMatchObject({ signer: lower(attester.address) });
    for (const account of [merchant, stranger]) {
      const given = await account.signTypedData(data.typedData as never);
      expect(await submit(given)).toMatchObject({
        ...{ status: 'refused', signer: null, reasons: [{ error: 'AttesterNotAllowed' }] },
      });
    }
    expect((await submit('0x1234')).reasons).toMatchObject([{ error: 'InvalidSignature' }]);
  });
});

function change(subject: string, id: string, field: string, before: string, after: string) {
  return { subject, id, field, before, after };
}

/** Runs TypeScript with these names defined. */
async function run(code: string, given: Readonly<Record<string, unknown>>): Promise<void> {
  const { code: script } = await transform(`async () => {${code}}`, { loader: 'ts' });
  const names = Object.keys(given);
  const make = new Function(...names, `return ${script}`);
  await make(...Object.values(given))();
}
