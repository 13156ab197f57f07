import { type Address, getContractAddress, type Hex, keccak256, toHex } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import { type TokenKey, tokens } from './tokens.ts';

/** Somebody of the sample who sends or signs. The key is derived from the seed: worth nothing. */
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

/** Everybody and everything of the sample that has an address; all of it follows from the seed. */
export interface Cast {
  /** Deploys, and mints test tokens to whoever needs some. */
  readonly deployer: Actor;
  /** Finalizes what is due. */
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

/** The actor of that name. */
function actorOf(seed: number, name: string): Actor {
  const privateKey = keccak256(toHex(`tributary sample ${seed}: ${name}`));
  return { name, privateKey, address: privateKeyToAddress(privateKey) };
}

/** The merchant of that slug. */
export function merchantOf(seed: number, slug: string): Actor {
  return actorOf(seed, `merchant ${slug}`);
}

/** The whole cast. The deployer's first transactions make the contract, then the tokens. */
export function castOf(seed: number): Cast {
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
