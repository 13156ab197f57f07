import type { Address, Hex } from 'viem';
import { signTypedData } from 'viem/accounts';
import { signingDomain } from '../engine/core/signing-domain.ts';
import type { Actor } from './actors.ts';
import type { CommerceArgs } from './functions.ts';

/** The fields that name a sale on every fork. */
const SALE_REF = [
  { name: 'campaignId', type: 'uint256' },
  { name: 'termsHash', type: 'bytes32' },
  { name: 'buyer', type: 'address' },
  { name: 'orderKey', type: 'bytes32' },
] as const;

/** The EIP-712 messages of the contract (`contracts/Attestations.sol`). */
export const typedData = {
  SaleAttestation: [
    { name: 'campaignId', type: 'uint256' },
    { name: 'termsHash', type: 'bytes32' },
    { name: 'buyer', type: 'address' },
    { name: 'nodeId', type: 'uint256' },
    { name: 'nodeOwner', type: 'address' },
    { name: 'amount', type: 'uint256' },
    { name: 'orderKey', type: 'bytes32' },
    { name: 'skuHash', type: 'bytes32' },
    { name: 'nonce', type: 'uint256' },
    { name: 'deadline', type: 'uint64' },
  ],
  RefundApproval: [
    ...SALE_REF,
    { name: 'refundedTotal', type: 'uint256' },
    { name: 'reasonHash', type: 'bytes32' },
    { name: 'deadline', type: 'uint64' },
  ],
  ReversalApproval: [
    ...SALE_REF,
    { name: 'reasonHash', type: 'bytes32' },
    { name: 'deadline', type: 'uint64' },
  ],
} as const;

type Approval = CommerceArgs<'refund'>[0] & {
  readonly reasonHash: Hex;
  /** Unix seconds. */
  readonly deadline: bigint;
};

/** Message that an attester or a merchant signs. */
export type TypedMessage =
  | {
      readonly primaryType: 'SaleAttestation';
      readonly message: CommerceArgs<'recordAttestedSale'>[0];
    }
  | {
      readonly primaryType: 'RefundApproval';
      readonly message: Approval & { readonly refundedTotal: bigint };
    }
  | { readonly primaryType: 'ReversalApproval'; readonly message: Approval };

/** Signs a message for one contract on one chain, deterministically. */
export function signTyped(
  by: Actor,
  { chainId, contractAddress }: { chainId: number; contractAddress: Address },
  message: TypedMessage,
): Promise<Hex> {
  const domain = { ...signingDomain, chainId, verifyingContract: contractAddress };
  return signTypedData({ privateKey: by.privateKey, domain, types: typedData, ...message });
}
