import { type Address, getContractAddress, type Hex, keccak256, toHex } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import { type TokenKey, tokens } from './tokens.ts';

/** An account of the sample that sends or signs. Its key is derived from the seed. */
export interface Actor {
  readonly name: string;
  readonly privateKey: Hex;
  readonly address: Address;
}

/** A test token of the sample. */
export interface SampleToken {
  readonly key: TokenKey;
  readonly name: string;
  readonly symbol: string;
  readonly decimals: number;
  readonly address: Address;
}

/** All accounts and contracts of the sample, derived from the seed. */
export interface Actors {
  /** Deploys the contracts and mints test tokens. */
  readonly deployer: Actor;
  /** Finalizes sales after their hold. */
  readonly keeper: Actor;
  /** Sends the sales that others attested. */
  readonly relayer: Actor;
  /** Attests sales of THIRD_PARTY_VERIFIED campaigns. */
  readonly attester: Actor;
  /** Moderates at the API; never on the chain. */
  readonly operator: Actor;
  readonly distributors: readonly Actor[];
  readonly buyers: readonly Actor[];
  readonly contractAddress: Address;
  readonly tokens: Readonly<Record<TokenKey, SampleToken>>;
}

const DISTRIBUTORS = 72;
const BUYERS = 60;

/** The account with a name. */
function actorOf(seed: number, name: string): Actor {
  const privateKey = keccak256(toHex(`tributary sample ${seed}: ${name}`));
  return { name, privateKey, address: privateKeyToAddress(privateKey) };
}

/** The account of the merchant with a slug. */
export function merchantOf(seed: number, slug: string): Actor {
  return actorOf(seed, `merchant ${slug}`);
}

/** The distributor with an address. */
export function distributorOf({ distributors }: Actors, address: Address): Actor {
  const found = distributors.find((distributor) => distributor.address === address);
  if (found === undefined) throw new Error(`${address} is no distributor of the sample.`);
  return found;
}

/** All actors. The deployer's first transactions create the contract, then the tokens. */
export function actorsOf(seed: number): Actors {
  const actor = (name: string) => actorOf(seed, name);
  const many = (name: string, count: number) =>
    Array.from({ length: count }, (_, i) => actor(`${name} ${i + 1}`));
  const deployer = actor('deployer');
  const created = (nonce: number) =>
    getContractAddress({ from: deployer.address, nonce: BigInt(nonce) });
  const token = (key: TokenKey, nonce: number) => ({
    ...tokens[key],
    key,
    address: created(nonce),
  });
  return {
    deployer,
    keeper: actor('keeper'),
    relayer: actor('relayer'),
    attester: actor('attester'),
    operator: actor('operator'),
    distributors: many('distributor', DISTRIBUTORS),
    buyers: many('buyer', BUYERS),
    contractAddress: created(0),
    tokens: { dollar: token('dollar', 1), credit: token('credit', 2) },
  };
}
