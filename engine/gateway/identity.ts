import { createHash } from 'node:crypto';

/** Chain and contract of a deployment: together they are its route. The address is in lower case. */
export interface Identity {
  readonly chainId: number;
  readonly contractAddress: `0x${string}`;
}

/** Deployment that the configuration names, with its identity if the configuration declares it. */
export interface Target {
  /** Origin of its API. */
  readonly url: string;
  readonly identity: Identity | undefined;
}

/** `8453/0x…`: how people, metrics and messages name a deployment. */
export function nameOf({ chainId, contractAddress }: Identity): string {
  return `${chainId}/${contractAddress}`;
}

/** True if both are the same chain and contract. */
export function isSame(one: Identity, other: Identity): boolean {
  return nameOf(one) === nameOf(other);
}

/** Short text that names a deployment in a cursor. */
export function keyOf(identity: Identity): string {
  return createHash('sha256').update(nameOf(identity)).digest('base64url').slice(0, 8);
}

/** The chain and contract, without other fields that the object may have. */
export function identityOf({ chainId, contractAddress }: Identity): Identity {
  return { chainId, contractAddress };
}
