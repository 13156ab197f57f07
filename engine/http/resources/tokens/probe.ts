import {
  type ContractFunctionReturnType,
  decodeFunctionResult,
  encodeFunctionData,
  keccak256,
  type PublicClient,
  stringToBytes,
  toFunctionSelector,
} from 'viem';
import { tokenProbeAbi, tokenProbeCode } from '../../../../abis/tokenProbe.ts';
import type { Address, Hex } from '../../../core/events.ts';

/** Answers, transfers and calls that `TokenProbe` saw. */
export type Report = ContractFunctionReturnType<typeof tokenProbeAbi, 'nonpayable', 'probe'>;
export type Transfer = Report['incoming'];

/** Traits that a token's code shows. */
export interface Code {
  readonly isEmpty: boolean;
  readonly traits: ReadonlySet<Trait>;
}

const ZERO: Hex = `0x${'0'.repeat(64)}`;

/** Accounts without an owner, which play the contract and a payee. */
const [KEEPER, PAYEE] = ['keeper', 'payee'].map(
  (name): Address => `0x${keccak256(stringToBytes(`tributary token probe: ${name}`)).slice(-40)}`,
) as [Address, Address];

/**
 * Lets a holder move its tokens in a call that changes nothing. The call lends the probe's code to the holder, which
 * not every RPC can do: one that ignores it answers nothing.
 * @throws if the RPC does not answer, or cannot lend code.
 */
export async function probeTransfers(
  client: PublicClient,
  { token, holder, amount }: { token: Address; holder: Address; amount: bigint },
): Promise<Report> {
  const abi = tokenProbeAbi;
  const { data = '0x' } = await client.call({
    to: holder,
    data: encodeFunctionData({
      abi,
      functionName: 'probe',
      args: [token, KEEPER, PAYEE, amount],
    }),
    stateOverride: [holder, KEEPER, PAYEE].map((address) => ({
      address,
      code: tokenProbeCode,
      // The probe's only variable: a holder that is a contract has something else there.
      stateDiff: [{ slot: ZERO, value: ZERO }],
    })),
  });
  return decodeFunctionResult({ abi, functionName: 'probe', data });
}

/** Slots in which proxies have the address of their code, and of the beacon that has it (EIP-1967, and before). */
const PROXY_SLOTS: readonly Hex[] = [
  '0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc',
  '0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50',
  keccak256(stringToBytes('org.zeppelinos.proxy.implementation')),
];

/** A proxy whose code never changes (EIP-1167). */
const MINIMAL_PROXY = /^0x363d3d373d3d3d363d73([0-9a-f]{40})5af43d82803e903d91602b57fd5bf3/;

/** Functions by which a token's code gives itself away. Another token may have the same trait under other names. */
const telltales = {
  REBASES: [
    ...['rebase(uint256,int256)', 'sharesOf(address)', 'getPooledEthByShares(uint256)'],
    ...['scaledBalanceOf(address)', 'rebasingCreditsPerToken()'],
  ],
  BLOCKLIST: [
    ...['isBlackListed(address)', 'isBlacklisted(address)', 'isBlocked(address)'],
    ...['addBlackList(address)', 'blacklist(address)', 'isFrozen(address)', 'freeze(address)'],
  ],
  PAUSABLE: ['pause()', 'paused()'],
  FEE_POSSIBLE: ['basisPointsRate()', 'setFeeRate(uint256)', 'feeRate()', 'feeBps()'],
  CALLS_BACK: ['granularity()', 'authorizeOperator(address)'],
  UPGRADABLE: ['upgradeTo(address)', 'upgradeToAndCall(address,bytes)', 'deprecate(address)'],
} as const;

type Trait = keyof typeof telltales;

/** Reads a token's code, behind one proxy if it is one. @throws if the RPC does not answer. */
export async function readCode(client: PublicClient, token: Address): Promise<Code> {
  const own = (await client.getCode({ address: token })) ?? '0x';
  const behind = await targetOf(client, token, own);
  const code = behind.address && (await client.getCode({ address: behind.address }));
  const pushed = pushedWords(own + (code ?? '').slice(2));
  const found = (Object.keys(telltales) as Trait[]).filter((trait) =>
    telltales[trait].some((signature) => pushed.has(toFunctionSelector(signature))),
  );
  const traits = new Set<Trait>([
    ...found,
    ...(behind.isUpgradable ? ['UPGRADABLE' as const] : []),
  ]);
  return { isEmpty: own === '0x', traits };
}

/** Address of the code that a proxy runs. */
async function targetOf(
  client: PublicClient,
  token: Address,
  code: Hex,
): Promise<{ address?: Address; isUpgradable: boolean }> {
  const [, fixed] = MINIMAL_PROXY.exec(code) ?? [];
  if (fixed) return { address: `0x${fixed}`, isUpgradable: false };
  if (code === '0x') return { isUpgradable: false };
  for (const slot of PROXY_SLOTS) {
    const word = await client.getStorageAt({ address: token, slot });
    if (word !== undefined && BigInt(word) !== 0n) {
      return { address: `0x${word.slice(-40)}`, isUpgradable: true };
    }
  }
  return { isUpgradable: false };
}

/** All that the code pushes as four bytes: how a compiler compares selectors. */
function pushedWords(code: string): ReadonlySet<string> {
  return new Set(Array.from(code.matchAll(/(?=63([0-9a-f]{8}))/g), ([, word]) => `0x${word}`));
}
