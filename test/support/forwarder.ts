import { type Address, encodeFunctionData, type Hex, keccak256, maxUint256, toHex } from 'viem';
import { referralCommerceAbi } from '../../abis/referralCommerce.ts';
import { emitted, giveTokens, ownerOf, SKU, termsOf } from './actions.ts';
import { accountAt, mined, type TestChain } from './chain.ts';

/** A contract that calls the protocol with the calldata that it is given, as wallets do. */
const FORWARDER: Address = '0x00000000000000000000000000000000000beef0';

/** Its code: copies the calldata, calls the target with it, and reverts if the call does. */
function codeFor(target: Address): Hex {
  const copyCalldata = '363d3d37';
  const callTarget = `3d3d363d3d73${target.slice(2)}5af1`;
  const revertUnlessDone = '60285760006000fd5b00';
  return `0x${copyCalldata}${callTarget}${revertUnlessDone}`;
}

let purchases = 0;

/** Buys at any price through a forwarder, with `dataSuffix` after the calldata. Answers the sale's id. */
export async function buyThroughForwarder(
  chain: TestChain,
  { token, campaignId }: { readonly token: Address; readonly campaignId: bigint },
  { nodeId = 0n, dataSuffix = '0x' as Hex } = {},
): Promise<bigint> {
  const { client, contract } = chain;
  await client.setCode({ address: FORWARDER, bytecode: codeFor(contract) });
  await client.setBalance({ address: FORWARDER, value: 10n ** 18n });
  await client.impersonateAccount({ address: FORWARDER });
  await giveTokens(chain, token, FORWARDER, 10n ** 18n);
  const data = encodeFunctionData({
    abi: referralCommerceAbi,
    functionName: 'buy',
    args: [
      ...([campaignId, await termsOf(chain, campaignId), nodeId] as const),
      ...([await ownerOf(chain, nodeId), SKU] as const),
      ...([keccak256(toHex(`forwarded ${++purchases}`)), maxUint256, 1] as const),
    ],
  });
  const hash = await client.sendTransaction({
    account: accountAt(chain.accounts, 9),
    to: FORWARDER,
    data: `${data}${dataSuffix.slice(2)}`,
    gas: 2_000_000n,
  });
  return emitted(await mined(client, hash), 'SaleRecorded').saleId;
}
