import { type Abi, type Address, encodeAbiParameters, type Hex, maxUint256, toHex } from 'viem';
import { oddTokenAbi, oddTokenBytecode } from '../../../abis/test/oddToken.ts';
import { signTyped } from '../../../sample/typed-data.ts';
import { giveTokens } from '../../support/actions.ts';
import { accountAt, deployToken } from '../../support/chain.ts';
import { type Call, callOf } from '../chain/call.ts';
import { type SeenCampaign, trustModes } from '../chain/sight.ts';
import { anyCampaign, anyPolicy, hashOf } from '../chain/terms.ts';
import type { NonEmpty } from '../dice.ts';
import type { Fault, Scene } from './fault.ts';

/** Bytes of token names: NUL, broken UTF-8, right-to-left text, SQL, a character that is cut. */
const NAMES: NonEmpty<Hex> = [
  '0x610062006300',
  '0xfffefdc0af',
  '0xeda080',
  toHex('\u202Edlrow olleh'),
  toHex("'; drop schema ledger cascade;--"),
  toHex('\u{1F4A9}'.repeat(12)),
];

/** The latest time that the contract accepts, unix seconds: the end of the year 9999. */
const MAX_TIME = 253_402_300_799n;

/** Sales of the greatest amount, each refunded in whole, after which sums pass 10^78. */
const CYCLES = 20;

type Attack = (scene: Scene, merchant: Address) => Promise<string>;

/** Campaigns with a token whose answers are broken text. */
const strings: Attack = async (scene, merchant) => {
  const { history, dice } = scene;
  const { chain } = history.market;
  const text = () => encodeAbiParameters([{ type: 'bytes' }], [dice.pick(NAMES)]);
  const decimals = encodeAbiParameters([{ type: 'uint256' }], [dice.pick([0n, 36n])]);
  await chain.client.deployContract({
    abi: oddTokenAbi as Abi,
    bytecode: oddTokenBytecode,
    args: [decimals, text(), text()],
    account: accountAt(chain.accounts, 0),
  });
  const token = await lastContract(scene);
  const calls = [
    await creation(scene, merchant, { token }),
    await creation(scene, merchant, { token }),
  ];
  await history.send(calls);
  return 'campaigns with broken token names';
};

/** The greatest amounts, until sums of them need more than 78 digits. */
const numbers: Attack = async (scene, merchant) => {
  const { history, dice } = scene;
  const { market, sight } = history;
  const token = await deployToken(market.chain);
  await giveTokens(market.chain, token, merchant, 1n << 255n);
  await history.send([await creation(scene, merchant, { token, attested: true })]);
  const campaign = await sight.campaign(BigInt(await sight.campaignCount()));
  if (campaign.token.toLowerCase() !== token.toLowerCase()) return 'nothing';
  const { id, termsHash } = campaign;
  await history.send([
    callOf(merchant, 'fund', [id, termsHash, 1n << 255n]),
    callOf(merchant, 'join', [id, termsHash, 0n, `0x${'0'.repeat(40)}`]),
  ]);
  const nodeId = BigInt(await sight.nodeCount());
  for (let cycle = 0; cycle < CYCLES; cycle += 1) {
    const orderKey = hashOf(`greatest ${dice.below(2 ** 31)}`);
    const sale = await attestation(scene, campaign, { nodeId, orderKey });
    const ref = { campaignId: id, termsHash, buyer: merchant, orderKey };
    const args = [ref, maxUint256, hashOf('reason'), 0n, '0x'] as const;
    await history.send([sale, callOf(merchant, 'refund', args)]);
  }
  return 'sums past 10^78';
};

/** Cheap campaigns, floods of joins, orders again, lists of sales that do not exist. */
const sequences: Attack = async (scene, merchant) => {
  const { history, dice } = scene;
  const { market, sight } = history;
  const token = market.tokens[0] ?? merchant;
  const creations: Call[] = [];
  for (let i = 0; i < 12; i += 1) creations.push(await creation(scene, merchant, { token }));
  await history.send(creations);
  const { id, termsHash } = await sight.campaign(BigInt(await sight.campaignCount()));
  const join = callOf(merchant, 'join', [id, termsHash, 0n, `0x${'0'.repeat(40)}`]);
  const unknown = [0n, 1n, 1n, 1_000_000n, maxUint256, BigInt(dice.between(1, 40))];
  await history.send([
    callOf(merchant, 'fund', [id, termsHash, 1n]),
    ...Array.from({ length: 27 }, () => join),
    callOf(merchant, 'finalize', [unknown]),
    callOf(merchant, 'claimRewards', [[id, id, 1_000_000n]]),
    callOf(merchant, 'pause', [id]),
    callOf(merchant, 'resume', [id]),
    callOf(merchant, 'end', [id]),
  ]);
  return 'campaigns in bulk, a flood of joins, unknown ids';
};

/** A merchant does its worst; its campaigns must settle, and no other campaign may be affected. */
const hostileMerchant: Fault = {
  weight: 3,
  run: async (scene) => {
    const { dice, history } = scene;
    const merchant = dice.pick(history.market.merchants).address;
    return await dice.pick<Attack>([strings, numbers, sequences])(scene, merchant);
  },
};

async function creation(
  { history, dice }: Scene,
  merchant: Address,
  { token, attested = false }: { readonly token: Address; readonly attested?: boolean },
): Promise<Call> {
  const { market, sight } = history;
  const now = await sight.now();
  const mode = attested ? trustModes.merchantAttested : dice.below(3);
  const input = {
    ...anyCampaign(market, dice, now, mode),
    ...{ token, endsAt: MAX_TIME, saleCapacity: 2n ** 53n - 1n, inviteOnly: false },
    nodeCapacity: attested ? 9n : dice.pick([0n, 1n, 2n ** 53n - 1n]),
  };
  const policy = {
    ...anyPolicy(dice, token, now),
    ...{ regions: ['\0', '\u202E'], sharingRules: ['x'.repeat(64)], expiry: MAX_TIME },
    ...(attested
      ? {
          ...{ commissionBps: 10_000, perSaleCap: maxUint256, campaignLiabilityCap: maxUint256 },
          ...{ maxRewardedAncestors: 1, weightsBps: [10_000] },
        }
      : {}),
  };
  return callOf(merchant, 'createCampaign', [input, policy]);
}

async function attestation(
  { history, dice }: Scene,
  { id: campaignId, termsHash, merchant, skuHash }: SeenCampaign,
  { nodeId, orderKey }: { readonly nodeId: bigint; readonly orderKey: Hex },
): Promise<Call> {
  const { chain } = history.market;
  const message = {
    ...{ campaignId, termsHash, buyer: merchant.address, nodeId, nodeOwner: merchant.address },
    ...{ amount: maxUint256, orderKey, skuHash, nonce: BigInt(dice.below(2 ** 31)) },
    deadline: (await history.sight.now()) + 890n,
  };
  const domain = { chainId: 31_337, contractAddress: chain.contract };
  const signature = await signTyped(merchant, domain, { primaryType: 'SaleAttestation', message });
  return callOf(merchant.address, 'recordAttestedSale', [message, signature]);
}

/** The address of the contract that the newest block deployed. */
async function lastContract({ history }: Scene): Promise<Address> {
  const { client } = history.market.chain;
  const { transactions } = await client.getBlock();
  const [hash] = transactions;
  if (hash === undefined) throw new Error('the newest block has no transaction');
  const { contractAddress } = await client.getTransactionReceipt({ hash });
  if (!contractAddress) throw new Error('the newest block deployed nothing');
  return contractAddress;
}

export const hostileFaults = { hostileMerchant } as const satisfies Record<string, Fault>;
