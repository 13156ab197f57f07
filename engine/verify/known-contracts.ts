import type { Address } from '../core/events.ts';

/**
 * The contract of each public deployment that this version knows, by chain id: with it a first visitor need
 * not take the word of the service for the contract. There is no public deployment yet.
 */
const knownContracts: Readonly<Record<number, Address>> = {};

/** The contract that this version knows for a chain; `undefined` if it knows none. */
export function knownContract(chainId: number): Address | undefined {
  return knownContracts[chainId];
}
