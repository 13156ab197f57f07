import {
  concat,
  domainSeparator,
  getContractAddress,
  type Hex,
  hexToBytes,
  keccak256,
  numberToHex,
  pad,
  stringToHex,
} from 'viem';
import { referralCommerceBytecode } from '../../../abis/referralCommerce.ts';
import {
  referralCommerceBuild,
  referralCommerceInput,
} from '../../../abis/referralCommerceBuild.ts';
import { signingDomain } from '../../core/signing-domain.ts';

/** Code that a deployment sends: the contract's constructor has no arguments. */
export const creationCode: Hex = referralCommerceBytecode;

/** Fully qualified name of the contract, as block explorers ask for it. */
export const contractName = referralCommerceBuild.contract;

/** Fully qualified name of the contract that its constructor deploys. */
export const setupName = referralCommerceBuild.setup.contract;

/** Full version of the compiler, such as `0.8.37+commit.…`. */
export const compilerVersion = referralCommerceBuild.compiler;

/** Standard JSON input of solc, with every source as text. */
export const standardJson = `${JSON.stringify(referralCommerceInput, null, 2)}\n`;

/** Deployment proxy that exists at this address on most chains. */
export const CREATE2_PROXY = '0x4e59b44847b379578588920cA78FbF26c0B4956C';

/** Deployed code of that proxy. */
export const CREATE2_PROXY_CODE =
  '0x7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f58015156039578182fd5b8082525050506014600cf3';

/** Where a contract is. */
export interface Location {
  readonly chainId: number;
  readonly address: Hex;
}

/** Address that the deployment proxy gives the contract with a salt, the same on every chain. */
export function deterministicAddress(salt: Hex): Hex {
  return getContractAddress({
    opcode: 'CREATE2',
    from: CREATE2_PROXY,
    salt,
    bytecode: creationCode,
  });
}

/** Input of the call to the deployment proxy. */
export function deterministicCall(salt: Hex): Hex {
  return concat([salt, creationCode]);
}

/** Address at which the constructor of the contract at `address` has deployed `CampaignSetup`. */
export function setupAddress(address: Hex): Hex {
  // A contract's first CREATE has the nonce 1 (EIP-161).
  return getContractAddress({ from: address, nonce: 1n });
}

/** Code of a deployment: of the contract, and at its {@link setupAddress}. */
export interface DeployedCode {
  readonly contract: Hex | undefined;
  readonly setup: Hex | undefined;
}

/** Compares deployed code with this build, including the values that its constructor wrote into it. */
export function isThisBuild({ contract, setup }: DeployedCode, location: Location): boolean {
  return (
    contract?.toLowerCase() === expectedCode(location) &&
    setup?.toLowerCase() === referralCommerceBuild.setup.deployedBytecode
  );
}

/** Deployed code of this build at an address of a chain. */
function expectedCode({ chainId, address }: Location): Hex {
  const values = immutablesOf({ chainId, address });
  const code = hexToBytes(referralCommerceBuild.deployedBytecode);
  for (const [name, ranges] of Object.entries(referralCommerceBuild.immutables)) {
    const value = values[name];
    if (value === undefined) throw new Error(`The value of the immutable ${name} is not known.`);
    for (const { start } of ranges) code.set(hexToBytes(value), start);
  }
  return `0x${Buffer.from(code).toString('hex')}`;
}

/** Values of the contract's immutables, most of them of OpenZeppelin's `EIP712`, 32 bytes each. */
function immutablesOf({ chainId, address }: Location): Readonly<Record<string, Hex>> {
  const { name, version } = signingDomain;
  return {
    campaignSetup: pad(setupAddress(address)).toLowerCase() as Hex,
    _cachedDomainSeparator: domainSeparator({
      domain: { ...signingDomain, chainId, verifyingContract: address },
    }),
    _cachedChainId: numberToHex(chainId, { size: 32 }),
    _cachedThis: pad(address),
    _hashedName: keccak256(stringToHex(name)),
    _hashedVersion: keccak256(stringToHex(version)),
    _name: shortString(name),
    _version: shortString(version),
  };
}

/** A text of at most 31 bytes as OpenZeppelin's `ShortString`: its bytes, and its length in the last. */
function shortString(text: string): Hex {
  const bytes = Buffer.alloc(32);
  bytes[31] = bytes.write(text);
  return `0x${bytes.toString('hex')}`;
}
