import {
  type Address,
  domainSeparator,
  getAddress,
  type Hex,
  hashStruct,
  hashTypedData,
  keccak256,
  pad,
  type TypedDataParameter,
  toHex,
  zeroAddress,
} from 'viem';
import { mnemonicToAccount } from 'viem/accounts';
import { describe, expect, it } from 'vitest';
import { typedData } from '../../sample/typed-data.ts';
import { expectRecorded } from '../support/recorded.ts';
import { fundArgs } from './calls.ts';
import { byAllowance, orderTypes } from './orders.ts';
import { inputFor, noLimits, policyFor } from './scenes.ts';
import {
  by,
  commerceAt,
  fortune,
  genesisTime,
  hashOf,
  nextAt,
  saleStatuses,
  sent,
  tokenAt,
  trustModes,
  useWorld,
  type World,
} from './support.ts';
import { type Terms, termsHashOf } from './terms.ts';

const world = useWorld();
const mnemonic = 'test test test test test test test test test test test junk';
const merchant = mnemonicToAccount(mnemonic, { addressIndex: 0 });
const attester = mnemonicToAccount(mnemonic, { addressIndex: 2 });
const buyerAccount = mnemonicToAccount(mnemonic, { addressIndex: 1 });
const buyer = buyerAccount.address;
const distributorAccount = mnemonicToAccount(mnemonic, { addressIndex: 4 });
const distributor = distributorAccount.address;

const token = getAddress('0x1111111111111111111111111111111111111111');
const verifyingContract = getAddress('0x2222222222222222222222222222222222222222');
const domain = { name: 'Tributary', version: '3', chainId: 31_337, verifyingContract } as const;

const terms: readonly (Terms & { readonly merchant: Address })[] = [
  { trustMode: trustModes.native, salt: pad('0x', { size: 32 }) },
  { trustMode: trustModes.merchantAttested, salt: hashOf('salt') },
  { trustMode: trustModes.thirdPartyVerified, salt: `0x${'ff'.repeat(32)}` as Hex },
].map((part) => ({
  merchant: merchant.address,
  token,
  metadataHash: hashOf('metadata'),
  ...part,
}));

/** The campaign that everything is signed for: the third, whose sales a third party attests. */
const campaignId = 3n;
const termsHash = termsHashOf(merchant.address, terms[2] as Terms);
const sale = { campaignId, termsHash, buyer, orderKey: hashOf('order') };
/** The campaign of the orders: the first, whose sales the contract receives the price of. */
const nativeCampaign = {
  campaignId: 1n,
  termsHash: termsHashOf(merchant.address, terms[0] as Terms),
};
const recordedAt = genesisTime + 10_000n;
const finalizedAt = recordedAt + 600n;
const messages = {
  SaleAttestation: {
    ...sale,
    nodeId: 1n,
    nodeOwner: distributor,
    amount: 100_000_000n,
    skuHash: hashOf('sku'),
    nonce: 2n ** 256n - 1n,
    deadline: recordedAt + 900n,
  },
  RefundApproval: {
    ...sale,
    refundedTotal: 25_000_000n,
    reasonHash: hashOf('one of four was broken'),
    deadline: recordedAt + 900n,
  },
  ReversalApproval: {
    ...sale,
    reasonHash: hashOf('the buyer disputed the payment'),
    deadline: finalizedAt + 900n,
  },
  BuyOrder: {
    ...nativeCampaign,
    buyer,
    nodeId: 1n,
    nodeOwner: distributor,
    skuHash: hashOf('sku'),
    orderKey: hashOf('order'),
    maxAmount: 100_000_000n,
    minPolicyVersion: 1,
    deadline: 2n ** 64n - 1n,
  },
  JoinOrder: {
    ...nativeCampaign,
    account: distributor,
    parentNodeId: 0n,
    parentOwner: zeroAddress,
    salt: hashOf('salt'),
    deadline: recordedAt + 86_400n,
  },
  FundOrder: {
    ...nativeCampaign,
    account: merchant.address,
    amount: 1_000_000_000n,
    salt: hashOf('salt'),
    deadline: recordedAt + 86_400n,
  },
} as const;
type Struct = keyof typeof messages;

const structTypes = { ...typedData, ...orderTypes };

function typeStringOf(struct: Struct): string {
  return `${struct}(${structTypes[struct].map(({ name, type }) => `${type} ${name}`).join(',')})`;
}

/** Everything that EIP-712 computes of a struct, by viem. */
function vectorOf(struct: Struct) {
  const fields: readonly TypedDataParameter[] = structTypes[struct];
  const types: { [name: string]: TypedDataParameter[] } = { [struct]: [...fields] };
  const values: { [name: string]: unknown } = messages[struct];
  const message = Object.fromEntries(fields.map(({ name }) => [name, values[name]]));
  return {
    struct,
    type: typeStringOf(struct),
    typeHash: keccak256(toHex(typeStringOf(struct))),
    message,
    structHash: hashStruct({ data: message, primaryType: struct, types }),
    digest: hashTypedData({ domain, types, primaryType: struct, message }),
  };
}

function file(name: string): URL {
  return new URL(`../vectors/${name}`, import.meta.url);
}

describe('the vectors', () => {
  it('the vectors match viem for the terms hash', async () => {
    const vectors = terms.map((input) => ({
      ...input,
      termsHash: termsHashOf(input.merchant, input),
    }));
    await expectRecorded(vectors, file('terms.json'), 1);
  });

  it('the vectors match viem for signed messages', async () => {
    const structs = (Object.keys(messages) as Struct[]).map(vectorOf);
    const vectors = { domain, domainSeparator: domainSeparator({ domain }), structs };
    await expectRecorded(vectors, file('eip712.json'), 2);
  });
});

/** The protocol and a token at the addresses of the vectors, with the campaigns of the terms. */
async function campaignsOfVectors(w: World) {
  const { client } = w;
  for (const [address, source] of [
    [token, w.token.address],
    [verifyingContract, w.commerce.address],
  ] as const) {
    const bytecode = await client.getCode({ address: source });
    await client.setCode({ address, bytecode: bytecode ?? '0x' });
  }
  const commerce = commerceAt(client, verifyingContract);
  const moved: World = { ...w, commerce, token: tokenAt(client, token) };
  for (const part of terms) {
    const args = [inputFor(moved, part), policyFor(moved)] as const;
    await sent(moved, commerce.write.createCampaign(args, by(merchant.address)));
  }
  return moved;
}

describe('the contract', () => {
  it('computes the terms hashes of the vectors', async () => {
    const { commerce } = await campaignsOfVectors(world());
    const hashes: Hex[] = [];
    for (const id of [1n, 2n, 3n]) hashes.push((await commerce.read.campaign([id])).termsHash);
    expect(hashes).toEqual(terms.map((input) => termsHashOf(input.merchant, input)));
    for (const [index, hash] of hashes.entries()) {
      expect(await commerce.read.campaignIdOf([hash])).toBe(index + 1);
    }
  });

  it('accepts signatures of the digests of the vectors', async () => {
    const w = await campaignsOfVectors(world());
    const { read, write } = w.commerce;
    const owner = by(merchant.address);
    expect((await read.eip712Domain()).slice(1, 5)).toEqual([
      domain.name,
      domain.version,
      BigInt(domain.chainId),
      domain.verifyingContract,
    ]);
    await sent(w, w.token.write.mint([merchant.address, fortune], owner));
    await sent(w, w.token.write.approve([verifyingContract, fortune], owner));
    await sent(w, write.fund(await fundArgs(w, campaignId, 100_000_000n), owner));
    await sent(w, write.allowAttester([campaignId, attester.address, ...noLimits], owner));
    await sent(w, write.join([campaignId, termsHash, 0n, zeroAddress], by(distributor)));
    // The digest is signed as it is in the file: nothing here hashes typed data again.
    const signed = (struct: Struct) => attester.sign({ hash: vectorOf(struct).digest });

    await nextAt(w, recordedAt);
    const attestation = [messages.SaleAttestation, await signed('SaleAttestation')] as const;
    await sent(w, write.recordAttestedSale(attestation, by(buyer)));
    const { refundedTotal, reasonHash, deadline } = messages.RefundApproval;
    const consent = await signed('RefundApproval');
    await sent(w, write.refund([sale, refundedTotal, reasonHash, deadline, consent], owner));
    expect(await read.sale([1n])).toMatchObject({ attester: attester.address, refundedTotal });
    await nextAt(w, finalizedAt);
    await sent(w, write.finalize([[1n]], owner));
    const reversal = messages.ReversalApproval;
    const approval = await signed('ReversalApproval');
    const args = [sale, reversal.reasonHash, reversal.deadline, approval] as const;
    await sent(w, write.reverse(args, owner));
    expect(await read.sale([1n])).toMatchObject({ status: saleStatuses.reversed });
  });

  it('accepts orders with signatures of the digests of the vectors', async () => {
    const w = await campaignsOfVectors(world());
    const { read, write } = w.commerce;
    for (const account of [merchant.address, buyer]) {
      await sent(w, w.token.write.mint([account, fortune], by(account)));
      await sent(w, w.token.write.approve([verifyingContract, fortune], by(account)));
    }
    const { BuyOrder, JoinOrder, FundOrder } = messages;
    const ofJoin = await distributorAccount.sign({ hash: vectorOf('JoinOrder').digest });
    const ofFund = await merchant.sign({ hash: vectorOf('FundOrder').digest });
    const ofBuy = await buyerAccount.sign({ hash: vectorOf('BuyOrder').digest });
    const relayer = by(attester.address);
    await sent(w, write.joinFor([JoinOrder, ofJoin], relayer));
    await sent(w, write.fundFor([FundOrder, ofFund, byAllowance], relayer));
    await sent(w, write.buyFor([BuyOrder, ofBuy, byAllowance], relayer));
    expect(await read.sale([1n])).toMatchObject({ buyer, nodeId: 1n, amount: 100_000_000n });
    for (const struct of ['JoinOrder', 'FundOrder'] as const) {
      expect(await read.isOrderUsed([vectorOf(struct).digest])).toBe(true);
    }
  });

  it('exposes the type hashes of the vectors', async () => {
    const { read } = world().commerce;
    expect(await read.SALE_ATTESTATION_TYPEHASH()).toBe(vectorOf('SaleAttestation').typeHash);
    expect(await read.REFUND_APPROVAL_TYPEHASH()).toBe(vectorOf('RefundApproval').typeHash);
    expect(await read.REVERSAL_APPROVAL_TYPEHASH()).toBe(vectorOf('ReversalApproval').typeHash);
    expect(await read.BUY_ORDER_TYPEHASH()).toBe(vectorOf('BuyOrder').typeHash);
    expect(await read.JOIN_ORDER_TYPEHASH()).toBe(vectorOf('JoinOrder').typeHash);
    expect(await read.FUND_ORDER_TYPEHASH()).toBe(vectorOf('FundOrder').typeHash);
  });
});
