/**
 * Name and version of the contract's EIP-712 domain (`contracts/Attestations.sol`), without chain and address. The version is
 * that of the protocol: it changes with the contract's events or what is signed.
 */
export const signingDomain = { name: 'Tributary', version: '3' } as const;
