import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Abi, Address, Hex } from 'viem';
import { blocklistTokenAbi, blocklistTokenBytecode } from '../../abis/test/blocklistToken.ts';
import { collectibleAbi, collectibleBytecode } from '../../abis/test/collectible.ts';
import { zeroHash } from './calls.ts';
import { price } from './scenes.ts';
import {
  by,
  deploy,
  fortune,
  hashOf,
  maxUint256,
  sent,
  tokenAt,
  type World,
  zeroAddress,
} from './support.ts';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const modules = join(root, 'node_modules');

type Contract = { readonly abi: Abi; readonly bytecode: Hex };
type Peer = 'seaport' | 'conduits' | 'rewards';

/** Where the contracts of the peers are, and how they are compiled. */
const sources: Readonly<
  Record<Peer, { file: string; name: string; viaIR: boolean; runs: number }>
> = {
  // Our compiler finds Seaport's stack too deep for the pipeline that its own builds use, and more runs too large.
  seaport: { file: 'seaport-core/src/Seaport.sol', name: 'Seaport', viaIR: false, runs: 1_000 },
  conduits: {
    file: 'seaport-core/src/conduit/ConduitController.sol',
    name: 'ConduitController',
    viaIR: false,
    runs: 1_000,
  },
  rewards: {
    file: '@zoralabs/protocol-rewards/src/ProtocolRewards.sol',
    name: 'ProtocolRewards',
    viaIR: true,
    runs: 500_000,
  },
};

/** Text of a source. Zora's sources allow one old compiler only; nothing else in them needs it. */
function sourceOf(path: string): string {
  const text = readFileSync(join(modules, path), 'utf8');
  return text.replace('pragma solidity 0.8.17;', 'pragma solidity ^0.8.17;');
}

/** Compiles a peer's contract, unless it was compiled before from the same packages with the same compiler. */
async function compiled(peer: Peer): Promise<Contract> {
  const { file, name, viaIR, runs } = sources[peer];
  const input = JSON.stringify({
    language: 'Solidity',
    sources: { [file]: { content: sourceOf(file) } },
    settings: {
      viaIR,
      optimizer: { enabled: true, runs },
      evmVersion: 'cancun',
      outputSelection: { [file]: { [name]: ['abi', 'evm.bytecode.object'] } },
    },
  });
  // The lock file identifies the compiler and the packages.
  const lock = await readFile(join(root, 'package-lock.json'));
  const key = createHash('sha256').update(lock).update(input).digest('hex');
  const cache = join(modules, '.cache', 'peers', `${key}.json`);
  if (!existsSync(cache)) {
    const solc: { compile(input: string, callbacks: unknown): string } = createRequire(
      import.meta.url,
    )('solc');
    const read = (path: string) => ({ contents: sourceOf(path) });
    const { contracts, errors } = JSON.parse(solc.compile(input, { import: read }));
    const contract = contracts?.[file]?.[name];
    if (contract === undefined) throw new Error(`${file}: ${JSON.stringify(errors)}`);
    const { abi, evm } = contract;
    await mkdir(dirname(cache), { recursive: true });
    await writeFile(cache, JSON.stringify({ abi, bytecode: `0x${evm.bytecode.object}` }));
  }
  return JSON.parse(await readFile(cache, 'utf8'));
}

/** Gas by what was called, in the order of the page. */
export type Row = readonly [call: string, gas: bigint];

/** Credits five accounts that have a balance already, and pays one of them all that it has. */
async function measureRewards(w: World): Promise<Row[]> {
  const { abi, bytecode } = await compiled('rewards');
  const address = await deploy(w.client, abi, bytecode);
  const [a, b, c, d, e] = w.nodes;
  const shares = [a, 5n, b, 4n, c, 3n, d, 2n, e, 1n];
  const deposit = () =>
    w.client.writeContract({
      abi,
      address,
      functionName: 'depositRewards',
      args: shares,
      value: 15n,
      ...by(w.buyer),
    });
  await sent(w, deposit());
  const deposited = await sent(w, deposit());
  const withdrawal = { abi, address, functionName: 'withdraw', args: [a, 0n] } as const;
  const paid = await sent(w, w.client.writeContract({ ...withdrawal, ...by(a) }));
  return [
    ['Zora: `depositRewards`, 5 accounts', deposited.gasUsed],
    ['Zora: `withdraw`', paid.gasUsed],
  ];
}

const orderTypes = {
  OrderComponents: [
    { name: 'offerer', type: 'address' },
    { name: 'zone', type: 'address' },
    { name: 'offer', type: 'OfferItem[]' },
    { name: 'consideration', type: 'ConsiderationItem[]' },
    { name: 'orderType', type: 'uint8' },
    { name: 'startTime', type: 'uint256' },
    { name: 'endTime', type: 'uint256' },
    { name: 'zoneHash', type: 'bytes32' },
    { name: 'salt', type: 'uint256' },
    { name: 'conduitKey', type: 'bytes32' },
    { name: 'counter', type: 'uint256' },
  ],
  OfferItem: [
    { name: 'itemType', type: 'uint8' },
    { name: 'token', type: 'address' },
    { name: 'identifierOrCriteria', type: 'uint256' },
    { name: 'startAmount', type: 'uint256' },
    { name: 'endAmount', type: 'uint256' },
  ],
  ConsiderationItem: [
    { name: 'itemType', type: 'uint8' },
    { name: 'token', type: 'address' },
    { name: 'identifierOrCriteria', type: 'uint256' },
    { name: 'startAmount', type: 'uint256' },
    { name: 'endAmount', type: 'uint256' },
    { name: 'recipient', type: 'address' },
  ],
} as const;
/** Seaport's numbers of the kinds of items, and of an order of an ERC-721 item for ERC-20 tokens. */
const itemTypes = { erc20: 1, erc721: 2 };
const erc20ToErc721 = 8;

/**
 * Sells an item of the merchant to the buyer, for tokens that go to the merchant and to others. All
 * of them have some already, and the buyer has an item.
 */
async function measureSeaport(w: World): Promise<Row[]> {
  const [seaport, conduits] = [await compiled('seaport'), await compiled('conduits')];
  const controller = await deploy(w.client, conduits.abi, conduits.bytecode);
  const address = await deploy(w.client, seaport.abi, seaport.bytecode, [controller]);
  const item = await deploy(w.client, collectibleAbi, collectibleBytecode);
  const collectible = { abi: collectibleAbi, address: item } as const;
  const mint = (to: Address, id: bigint) =>
    sent(
      w,
      w.client.writeContract({
        ...collectible,
        functionName: 'mint',
        args: [to, id],
        ...by(w.stranger),
      }),
    );
  const approval = { ...collectible, functionName: 'setApprovalForAll' } as const;
  await sent(w, w.client.writeContract({ ...approval, args: [address, true], ...by(w.merchant) }));
  const token = await deploy(w.client, blocklistTokenAbi, blocklistTokenBytecode);
  const { write } = tokenAt(w.client, token);
  await sent(w, write.approve([address, maxUint256], by(w.buyer)));
  await sent(w, write.mint([w.buyer, fortune], by(w.buyer)));
  for (const account of [w.merchant, ...w.nodes]) {
    await sent(w, write.mint([account, 1n], by(account)));
  }
  await mint(w.buyer, 100n);
  const buy = async (id: bigint, others: readonly Address[]): Promise<bigint> => {
    await mint(w.merchant, id);
    const additionalRecipients = others.map((recipient) => ({ amount: price / 50n, recipient }));
    const left = price - BigInt(others.length) * (price / 50n);
    const times = { startTime: 0n, endTime: maxUint256, zoneHash: hashOf('zone'), salt: id };
    const paid = [{ amount: left, recipient: w.merchant }, ...additionalRecipients];
    const signature = await w.client.signTypedData({
      account: w.merchant,
      domain: {
        name: 'Seaport',
        version: '1.6',
        chainId: w.client.chain.id,
        verifyingContract: address,
      },
      types: orderTypes,
      primaryType: 'OrderComponents',
      message: {
        offerer: w.merchant,
        zone: zeroAddress,
        offer: [
          {
            itemType: itemTypes.erc721,
            token: item,
            identifierOrCriteria: id,
            startAmount: 1n,
            endAmount: 1n,
          },
        ],
        consideration: paid.map(({ amount, recipient }) => ({
          itemType: itemTypes.erc20,
          token,
          identifierOrCriteria: 0n,
          startAmount: amount,
          endAmount: amount,
          recipient,
        })),
        orderType: 0,
        ...times,
        conduitKey: zeroHash,
        counter: 0n,
      },
    });
    const order = {
      considerationToken: token,
      considerationIdentifier: 0n,
      considerationAmount: left,
      offerer: w.merchant,
      zone: zeroAddress,
      offerToken: item,
      offerIdentifier: id,
      offerAmount: 1n,
      basicOrderType: erc20ToErc721,
      ...times,
      offererConduitKey: zeroHash,
      fulfillerConduitKey: zeroHash,
      totalOriginalAdditionalRecipients: BigInt(others.length),
      additionalRecipients,
      signature,
    };
    const call = { abi: seaport.abi, address, functionName: 'fulfillBasicOrder' } as const;
    const write = w.client.writeContract({ ...call, args: [order], ...by(w.buyer) });
    return (await sent(w, write)).gasUsed;
  };
  await buy(1n, w.nodes.slice(0, 4));
  return [
    ['Seaport: `fulfillBasicOrder`, 1 recipient', await buy(2n, [])],
    ['Seaport: `fulfillBasicOrder`, 5 recipients', await buy(3n, w.nodes.slice(0, 4))],
  ];
}

/**
 * Measures the calls of protocols that also divide or pass on what was paid, with a token like that of our own
 * measurement. Leaves the chain as it was: an address of other bytes would change our gas.
 */
export async function measurePeers(w: World): Promise<Row[]> {
  const id = await w.client.snapshot();
  const rows = [...(await measureRewards(w)), ...(await measureSeaport(w))];
  await w.client.revert({ id });
  return rows;
}
