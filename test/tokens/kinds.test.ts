import { type Address, getContract, zeroAddress } from 'viem';
import { describe, expect, it } from 'vitest';
import { quirkyTokenAbi, quirkyTokenBytecode } from '../../abis/test/quirkyToken.ts';
import { owedByContract } from '../../engine/core/campaign.ts';
import { examineToken } from '../../engine/http/resources/tokens/examine.ts';
import { approvalSteps } from '../../engine/http/resources/transactions/approval.ts';
import { simulate } from '../../engine/http/resources/transactions/simulate.ts';
import { buyArgs, fundArgs, refundArgs } from '../contracts/calls.ts';
import { createCampaign, funding, inputFor, joinPath, policyFor } from '../contracts/scenes.ts';
import {
  by,
  deploy,
  hashOf,
  nextAt,
  refusal,
  type Sent,
  sent,
  TransactionReverted,
  useWorld,
  type World,
} from '../contracts/support.ts';
import { bitsOf, constructorOf, type Outcome, type TokenKind, tokenKinds } from './kinds.ts';

const world = useWorld();

/** Base units that a share token cannot move exactly. */
const price = 100_000_003n;
const minted = 10n ** 13n;

type Token = Awaited<ReturnType<typeof deployKind>>;

/** Deploys a token of a kind, of which the merchant and the buyer have enough. */
async function deployKind(w: World, kind: TokenKind) {
  const args = constructorOf(kind);
  const address = await deploy(w.client, quirkyTokenAbi, quirkyTokenBytecode, args);
  const token = getContract({ abi: quirkyTokenAbi, address, client: w.client });
  for (const account of [w.merchant, w.buyer]) {
    await sent(w, token.write.mint([account, kind.supply ?? minted], by(account)));
  }
  return token;
}

/** What the API plans and says of a token: as its handlers do, over the same chain. */
function apiOf(w: World) {
  return {
    client: w.client,
    deployment: { contractAddress: w.commerce.address },
  } as unknown as Parameters<typeof approvalSteps>[0] & Parameters<typeof examineToken>[0];
}

/** A transaction's events, or `undefined` if it reverted. */
async function attempt(w: World, write: Promise<`0x${string}`>): Promise<Sent | undefined> {
  return await sent(w, write).catch((error: unknown) => {
    if (error instanceof TransactionReverted) return undefined;
    throw error;
  });
}

function argsOf(done: Sent, name: string): Record<string, unknown> | undefined {
  return done.events.find((event) => event.name === name)?.args as never;
}

/** Outcome of a payment of the contract: by its events, and by what the recipient got. */
async function payment(
  w: World,
  token: Token,
  to: Address,
  send: () => Promise<`0x${string}`>,
): Promise<Outcome> {
  const before = await token.read.balanceOf([to]).catch(() => 0n);
  const done = await attempt(w, send());
  if (done === undefined) return 'reverts';
  if (argsOf(done, 'PaymentCredited')) return 'credited';
  const amount = done.events.at(-1)?.args as { amount: bigint };
  const got = (await token.read.balanceOf([to])) - before;
  // Shares and rebases round the balance that is shown.
  return got >= amount.amount ? 'as usual' : 'less arrives';
}

/** The outcome of two flows. */
function common(first: Outcome, second: Outcome): Outcome {
  return first === second ? first : 'by amount';
}

/** Plays a whole campaign with the token, next to one with another token, and says what came of it. */
async function play(w: World, kind: TokenKind, token: Token) {
  const { write } = w.commerce;
  const campaignId = await createCampaign(
    w,
    { token: token.address, price },
    { rewardToken: token.address },
  );
  await sent(w, token.write.approve([w.commerce.address, funding], by(w.merchant)));
  await sent(w, token.write.approve([w.commerce.address, 2n * price], by(w.buyer)));
  const funded = await attempt(
    w,
    write.fund(await fundArgs(w, campaignId, funding), by(w.merchant)),
  );
  if (funded === undefined) return { deposit: 'reverts', payment: '–', withdrawal: '–' };
  const credited = argsOf(funded, 'CampaignFunded')?.amount as bigint;

  const [nodeId = 0n] = await joinPath(w, campaignId, w.nodes.slice(0, 1));
  const sales: bigint[] = [];
  let amount = 0n;
  for (const order of ['finalized', 'refunded']) {
    const args = await buyArgs(w, { campaignId, nodeId, orderKey: hashOf(order) });
    const sale = argsOf(await sent(w, write.buy(args, by(w.buyer))), 'SaleRecorded');
    sales.push(sale?.saleId as bigint);
    amount = sale?.amount as bigint;
  }
  const [first = 0n, second = 0n] = sales;
  const deposit = common(
    credited === funding ? 'as usual' : 'less arrives',
    amount === price ? 'as usual' : 'less arrives',
  );

  await change(w, kind, token);
  const refund = await refundArgs(w, second, amount);
  const refunded = await payment(w, token, w.buyer, () => write.refund(refund, by(w.merchant)));
  const { holdUntil } = await w.commerce.read.sale([first]);
  await nextAt(w, holdUntil);
  await sent(w, write.finalize([[first]], by(w.stranger)));
  const [payee = zeroAddress] = w.nodes;
  const claimed = await payment(w, token, payee, () =>
    write.claimRewards([[campaignId]], by(payee)),
  );
  await sent(w, write.end([campaignId], by(w.merchant)));
  const rest = (await w.commerce.read.campaignLedger([campaignId])).available;
  const surplus = () => write.withdrawSurplus([campaignId, rest], by(w.merchant));
  const withdrawn = await payment(w, token, w.merchant, surplus);
  const proceeds = () => write.claimProceeds([campaignId], by(w.merchant));
  return {
    deposit,
    payment: common(refunded, claimed),
    withdrawal: common(withdrawn, await payment(w, token, w.merchant, proceeds)),
    ...((await isShort(w, token, campaignId)) ? { short: true } : {}),
  };
}

async function change(w: World, { later = {}, quirks = [] }: TokenKind, token: Token) {
  const account = by(w.stranger);
  if (later.quirks) {
    await sent(w, token.write.setQuirks([bitsOf([...quirks, ...later.quirks])], account));
  }
  if (later.index) await sent(w, token.write.setIndex([later.index], account));
  if (later.decimals) {
    await sent(w, token.write.setAnswer(['0x313ce567', later.decimals], account));
  }
  if (later.blocks) {
    const [payee = zeroAddress] = w.nodes;
    for (const one of later.blocks === 'payees' ? [payee, w.buyer] : [w.commerce.address]) {
      await sent(w, token.write.setBlocked([one, true], account));
    }
  }
}

/** True if the contract has less than it owes in the campaign, which is the token's only one, or the token does not say. */
async function isShort(w: World, token: Token, campaignId: bigint): Promise<boolean> {
  const owed = owedByContract(await w.commerce.read.campaignLedger([campaignId]));
  const held = await token.read.balanceOf([w.commerce.address]).catch(() => 0n);
  return held < owed;
}

/** How this service has an allowance of 1 changed to 5. */
async function approvalOf(w: World, token: Token): Promise<TokenKind['approval']> {
  const from = w.attester;
  await sent(w, token.write.approve([w.commerce.address, 1n], by(from)));
  const wanted = { token: token.address, amount: 5n, allowance: 1n, description: '' };
  const [first, ...rest] = await approvalSteps(apiOf(w), from, wanted);
  if (first === undefined || rest.length === 0) return undefined;
  const [, call] = first;
  const { status } = await simulate(apiOf(w), from, call);
  return status === 'success' ? 'reset first' : 'fails';
}

async function refusalOf(w: World, { address: token }: Token): Promise<string> {
  const args = [inputFor(w, { token }), policyFor(w, { rewardToken: token })] as const;
  const as = { account: w.merchant, gas: 8_000_000n };
  const { error } = await refusal(w.commerce.simulate.createCampaign(args, as));
  return error === 'execution reverted' ? 'no reason' : error;
}

const nothing = { deposit: '–', payment: '–', withdrawal: '–' } as const;

describe('a campaign', () => {
  it.each(tokenKinds)(
    'keeps, pays and warns as the table says of each kind of token: $name',
    async (kind) => {
      const w = world();
      const token = await deployKind(w, kind);
      const approval = await approvalOf(w, token);
      const asked = { token: token.address, holder: w.merchant, amount: funding };
      const warnings = (await examineToken(apiOf(w), asked)).map(({ code }) => code);
      const outcome = kind.refused
        ? { ...nothing, refused: await refusalOf(w, token) }
        : await play(w, kind, token);
      const { deposit, payment, withdrawal, refused, short } = kind;
      expect({ ...outcome, approval, warnings }).toEqual({
        ...{ deposit, payment, withdrawal, approval: kind.approval, warnings: kind.warnings ?? [] },
        ...(refused ? { refused } : {}),
        ...(short ? { short } : {}),
      });
    },
  );
});
