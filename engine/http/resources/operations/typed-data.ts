import { hashTypedData } from 'viem';
import type { z } from 'zod';
import type { RequiredApproval, TypedData } from '../../../contract/shapes/operation.ts';
import type { Address, Hex } from '../../../core/events.ts';
import { signingDomain } from '../../../core/signing-domain.ts';
import type { AppDeps } from '../../deps.ts';
import { isoTime } from '../../render/time.ts';

type Field = { readonly name: string; readonly type: string };

const domainFields: readonly Field[] = [
  { name: 'name', type: 'string' },
  { name: 'version', type: 'string' },
  { name: 'chainId', type: 'uint256' },
  { name: 'verifyingContract', type: 'address' },
];

const saleFields: readonly Field[] = [
  { name: 'campaignId', type: 'uint256' },
  { name: 'termsHash', type: 'bytes32' },
  { name: 'buyer', type: 'address' },
];

const orderKey: Field = { name: 'orderKey', type: 'bytes32' };
const deadline: Field = { name: 'deadline', type: 'uint64' };
const reasonHash: Field = { name: 'reasonHash', type: 'bytes32' };

/** The structs that merchants, attesters and buyers sign (docs/reference/protocol.md#what-is-signed). */
const structs = {
  SaleAttestation: [
    ...saleFields,
    { name: 'nodeId', type: 'uint256' },
    { name: 'nodeOwner', type: 'address' },
    { name: 'amount', type: 'uint256' },
    orderKey,
    { name: 'skuHash', type: 'bytes32' },
    { name: 'nonce', type: 'uint256' },
    deadline,
  ],
  RefundApproval: [
    ...saleFields,
    orderKey,
    { name: 'refundedTotal', type: 'uint256' },
    reasonHash,
    deadline,
  ],
  ReversalApproval: [...saleFields, orderKey, reasonHash, deadline],
  BuyOrder: [
    ...saleFields,
    { name: 'nodeId', type: 'uint256' },
    { name: 'nodeOwner', type: 'address' },
    { name: 'skuHash', type: 'bytes32' },
    orderKey,
    { name: 'maxAmount', type: 'uint256' },
    { name: 'minPolicyVersion', type: 'uint32' },
    deadline,
  ],
} as const satisfies Readonly<Record<string, readonly Field[]>>;

type StructName = keyof typeof structs;

/** A value for each field of a struct; integers are decimal digits. */
type Message<N extends StructName> = Readonly<Record<(typeof structs)[N][number]['name'], string>>;

/** Data to sign by EIP-712, and the digest that is signed. */
export function typedData<N extends StructName>(
  { deployment }: Pick<AppDeps, 'deployment'>,
  primaryType: N,
  message: Message<N>,
): {
  readonly typedData: Omit<z.infer<typeof TypedData>, 'primaryType'> & { readonly primaryType: N };
  readonly digest: Hex;
} {
  const domain = {
    ...signingDomain,
    chainId: deployment.chainId,
    verifyingContract: deployment.contractAddress,
  } as const;
  const types = { EIP712Domain: [...domainFields], [primaryType]: [...structs[primaryType]] };
  const values: Record<string, string> = { ...message };
  return {
    typedData: { domain, primaryType, types, message: values },
    // viem takes integers as decimal digits, too.
    digest: hashTypedData({ domain, types, primaryType: primaryType as string, message: values }),
  };
}

/** Attester of a sale, and the data that it signs. */
export function requiredApproval<N extends 'RefundApproval' | 'ReversalApproval'>(
  deps: Pick<AppDeps, 'deployment'>,
  attester: Address,
  primaryType: N,
  message: Message<N> & { readonly deadline: string },
): z.infer<typeof RequiredApproval> {
  const deadline = isoTime(Number(message.deadline));
  return { attester, deadline, ...typedData(deps, primaryType, message) };
}
