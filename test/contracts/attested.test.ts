import { encodeFunctionData } from 'viem';
import { describe, expect, it } from 'vitest';
import { referralCommerceAbi, testTokenAbi } from '../../abis/index.ts';
import { contractWalletAbi, contractWalletBytecode } from '../../abis/test/contractWallet.ts';
import { fundArgs, refundArgs } from './calls.ts';
import {
  type Attestation,
  attest,
  attestationFor,
  funding,
  inputFor,
  joinPath,
  maxAmount,
  noLimits,
  openCampaign,
  policyFor,
  price,
  signSale,
  withdrawn,
} from './scenes.ts';
import {
  by,
  deploy,
  fortune,
  hashOf,
  mineAt,
  nextAt,
  now,
  refusal,
  sent,
  sku,
  trustModes,
  useWorld,
  type World,
  zeroAddress,
} from './support.ts';

const world = useWorld();

const merchantAttested = { trustMode: trustModes.merchantAttested };
const thirdParty = { trustMode: trustModes.thirdPartyVerified };

async function openThirdParty(w: World): Promise<void> {
  await openCampaign(w, thirdParty);
  await sent(w, w.commerce.write.allowAttester([1n, w.attester, ...noLimits], by(w.merchant)));
}

/** Why the contract refuses an attestation that `signer` signed. */
async function refused(w: World, signer: `0x${string}`, changes: Partial<Attestation> = {}) {
  const attestation = await attestationFor(w, 1n, changes);
  const signature = await signSale(w, signer, attestation);
  const as = { account: w.stranger };
  return refusal(w.commerce.simulate.recordAttestedSale([attestation, signature], as));
}

describe('recordAttestedSale', () => {
  it('records a sale that the merchant signed and any account relays, without transferring the price', async () => {
    const w = world();
    await openCampaign(w, merchantAttested);
    await joinPath(w, 1n, w.nodes.slice(0, 2));
    const attestation = await attestationFor(w, 1n, { nodeId: 2n, nonce: 77n });
    const signature = await signSale(w, w.merchant, attestation);
    const write = w.commerce.write.recordAttestedSale([attestation, signature], by(w.stranger));
    const { events, timestamp } = await sent(w, write);
    const sale = { saleId: 1n, campaignId: 1n };
    expect(events).toEqual([
      { name: 'SaleAttested', args: { ...sale, signer: w.merchant, nonce: 77n } },
      {
        name: 'SaleRecorded',
        args: {
          ...sale,
          buyer: w.buyer,
          nodeId: 2n,
          amount: price,
          pool: 10_000_000n,
          shares: [7_142_858n, 2_857_142n],
          policyVersion: 1,
          holdUntil: timestamp + 600n,
          orderKey: hashOf('order'),
          skuHash: sku,
        },
      },
    ]);
    expect(await w.commerce.read.campaignLedger([1n])).toMatchObject({
      available: funding - 10_000_000n,
      pendingReserved: 10_000_000n,
      proceedsPending: 0n,
    });
    expect(await w.commerce.read.sale([1n])).toMatchObject({ attester: w.merchant });
    expect(await w.commerce.read.isNonceUsed([1n, w.merchant, 77n])).toBe(true);
    expect(await w.token.read.balanceOf([w.buyer])).toBe(fortune);
  });

  it('accepts an attester’s signature in a THIRD_PARTY_VERIFIED campaign', async () => {
    const w = world();
    await openThirdParty(w);
    await attest(w, w.attester, 1n);
    expect(await w.commerce.read.sale([1n])).toMatchObject({ attester: w.attester });
  });

  it('refuses any signature but the merchant’s in a MERCHANT_ATTESTED campaign', async () => {
    const w = world();
    await openCampaign(w, merchantAttested);
    await sent(w, w.commerce.write.allowAttester([1n, w.attester, ...noLimits], by(w.merchant)));
    expect(await refused(w, w.attester)).toEqual({
      error: 'InvalidSignature',
      values: [w.merchant],
    });
  });

  it('refuses the merchant and attesters that it did not allow in a THIRD_PARTY_VERIFIED campaign', async () => {
    const w = world();
    await openThirdParty(w);
    await sent(w, w.commerce.write.allowAttester([1n, w.merchant, ...noLimits], by(w.merchant)));
    const error = 'AttesterNotAllowed';
    expect(await refused(w, w.merchant)).toEqual({ error, values: [1n, w.merchant] });
    expect(await refused(w, w.stranger)).toEqual({ error, values: [1n, w.stranger] });
    await sent(w, w.commerce.write.allowAttester([1n, w.attester, ...withdrawn], by(w.merchant)));
    expect(await refused(w, w.attester)).toEqual({ error, values: [1n, w.attester] });
  });

  it('refuses a signature of other data, and an invalid one', async () => {
    const w = world();
    await openThirdParty(w);
    const attestation = await attestationFor(w, 1n);
    const signature = await signSale(w, w.attester, attestation);
    const as = { account: w.stranger };
    const changed = { ...attestation, amount: attestation.amount + 1n };
    const other = w.commerce.simulate.recordAttestedSale([changed, signature], as);
    expect((await refusal(other)).error).toBe('AttesterNotAllowed');
    const none = w.commerce.simulate.recordAttestedSale([attestation, '0x'], as);
    expect(await refusal(none)).toEqual({ error: 'InvalidSignature', values: [zeroAddress] });
  });

  it('refuses a deadline that has passed or is more than 900 seconds away', async () => {
    const w = world();
    await openCampaign(w, merchantAttested);
    const present = await now(w);
    expect(await refused(w, w.merchant, { deadline: present - 1n })).toMatchObject({
      error: 'SignatureExpired',
      values: [present - 1n, expect.toSatisfy((time: bigint) => time >= present)],
    });
    expect(await refused(w, w.merchant, { deadline: present + 1_000n })).toMatchObject({
      error: 'ValidityTooLong',
      values: [present + 1_000n, expect.toSatisfy((time: bigint) => time >= present + 900n)],
    });
  });

  it('accepts deadlines at both ends of the 900 seconds', async () => {
    const w = world();
    await openCampaign(w, merchantAttested);
    const t = (await now(w)) + 100n;
    for (const [nonce, deadline] of [
      [1n, t],
      [2n, t + 901n],
    ] as const) {
      const changes = { nonce, deadline, orderKey: hashOf(`order ${nonce}`) };
      const attestation = await attestationFor(w, 1n, changes);
      const signature = await signSale(w, w.merchant, attestation);
      await nextAt(w, t + nonce - 1n);
      const args = [attestation, signature] as const;
      await sent(w, w.commerce.write.recordAttestedSale(args, by(w.stranger)));
    }
    expect(await w.commerce.read.saleCount()).toBe(2);
  });

  it('uses a nonce once per campaign and signer, and an order key once per buyer', async () => {
    const w = world();
    await openCampaign(w, merchantAttested);
    await openCampaign(w, merchantAttested);
    await attest(w, w.merchant, 1n);
    expect(await refused(w, w.merchant, { orderKey: hashOf('second') })).toEqual({
      error: 'NonceUsed',
      values: [1n, w.merchant, 1n],
    });
    expect(await refused(w, w.merchant, { nonce: 2n })).toEqual({
      error: 'OrderKeyUsed',
      values: [1n, w.buyer, hashOf('order')],
    });
    expect(await attest(w, w.merchant, 1n, { nonce: 2n, buyer: w.stranger })).toBe(2n);
    expect(await attest(w, w.merchant, 2n)).toBe(3n);
  });

  it('refuses an amount of zero, a node of another campaign and an unknown campaign', async () => {
    const w = world();
    await openCampaign(w, merchantAttested);
    expect(await refused(w, w.merchant, { amount: 0n })).toMatchObject({ error: 'ZeroAmount' });
    expect(await refused(w, w.merchant, { nodeId: 1n })).toEqual({
      error: 'UnknownNode',
      values: [1n, 1n],
    });
    expect(await refused(w, w.merchant, { campaignId: 2n })).toEqual({
      error: 'UnknownCampaign',
      values: [2n],
    });
  });

  it('refuses an attested sale in a NATIVE_ONCHAIN campaign', async () => {
    const w = world();
    await openCampaign(w);
    expect(await refused(w, w.merchant)).toEqual({ error: 'WrongTrustMode', values: [1n, 0] });
  });

  it('accepts the largest possible amount, and reserves what the vault has', async () => {
    const w = world();
    await openCampaign(w, merchantAttested);
    await joinPath(w, 1n, w.nodes.slice(0, 1));
    await attest(w, w.merchant, 1n, { nodeId: 1n, amount: maxAmount });
    expect(await w.commerce.read.sale([1n])).toMatchObject({ shares: [funding] });
    const args = await refundArgs(w, 1n, 2n ** 127n);
    await sent(w, w.commerce.write.refund(args, by(w.merchant)));
    expect(await w.commerce.read.campaignLedger([1n])).toMatchObject({
      pendingReserved: funding / 2n - 1n,
      available: funding / 2n + 1n,
    });
  });

  it('refuses an amount above 128 bits', async () => {
    const w = world();
    await openCampaign(w, merchantAttested);
    expect(await refused(w, w.merchant, { amount: maxAmount + 1n })).toEqual({
      error: 'AmountTooLarge',
      values: [maxAmount + 1n],
    });
  });

  it('accepts the signature of a merchant that is a contract (ERC-1271)', async () => {
    const w = world();
    const wallet = await deploy(w.client, contractWalletAbi, contractWalletBytecode);
    const owner = w.merchant; // anvil's first account deploys
    const create = encodeFunctionData({
      abi: referralCommerceAbi,
      functionName: 'createCampaign',
      args: [inputFor(w, merchantAttested), policyFor(w)],
    });
    const execution = {
      abi: contractWalletAbi,
      address: wallet,
      functionName: 'execute',
      args: [w.commerce.address, create],
    } as const;
    await sent(w, w.client.writeContract({ ...execution, ...by(w.stranger) }));
    await sent(w, w.token.write.mint([wallet, 1_000n], by(w.stranger)));
    const approve = encodeFunctionData({
      abi: testTokenAbi,
      functionName: 'approve',
      args: [w.commerce.address, 1_000n],
    });
    const fund = encodeFunctionData({
      abi: referralCommerceAbi,
      functionName: 'fund',
      args: await fundArgs(w, 1n, 1_000n),
    });
    for (const args of [
      [w.token.address, approve],
      [w.commerce.address, fund],
    ] as const) {
      const call = { ...execution, args, ...by(w.stranger) };
      await sent(w, w.client.writeContract(call));
    }
    await mineAt(w, (await now(w)) + 1n);
    expect(await refused(w, w.stranger)).toEqual({ error: 'InvalidSignature', values: [wallet] });
    await attest(w, owner, 1n);
    expect(await w.commerce.read.sale([1n])).toMatchObject({ attester: wallet });
  });
});

describe('the constants', () => {
  it('exposes the constants of the protocol and of EIP-712', async () => {
    const { read } = world().commerce;
    expect(await read.ATTESTATION_SECONDS_MAX()).toBe(900n);
    expect(await read.REVERSAL_SECONDS()).toBe(2_592_000n);
    expect(await read.SALE_ATTESTATION_TYPEHASH()).toBe(
      hashOf(
        'SaleAttestation(uint256 campaignId,bytes32 termsHash,address buyer,uint256 nodeId,address nodeOwner,uint256 amount,bytes32 orderKey,bytes32 skuHash,uint256 nonce,uint64 deadline)',
      ),
    );
    expect(await read.REFUND_APPROVAL_TYPEHASH()).toBe(
      hashOf(
        'RefundApproval(uint256 campaignId,bytes32 termsHash,address buyer,bytes32 orderKey,uint256 refundedTotal,bytes32 reasonHash,uint64 deadline)',
      ),
    );
    expect(await read.REVERSAL_APPROVAL_TYPEHASH()).toBe(
      hashOf(
        'ReversalApproval(uint256 campaignId,bytes32 termsHash,address buyer,bytes32 orderKey,bytes32 reasonHash,uint64 deadline)',
      ),
    );
  });
});
