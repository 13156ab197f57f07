// What people sign by EIP-712: the service hands it out, and the pages judge it.

type Field = { readonly name: string; readonly type: string };

/** Fields of the domain (EIP-712) of our contract, and of tokens that can be paid with by signatures. */
export const domainFields = [
  { name: 'name', type: 'string' },
  { name: 'version', type: 'string' },
  { name: 'chainId', type: 'uint256' },
  { name: 'verifyingContract', type: 'address' },
] as const satisfies readonly Field[];

const saleFields: readonly Field[] = [
  { name: 'campaignId', type: 'uint256' },
  { name: 'termsHash', type: 'bytes32' },
  { name: 'buyer', type: 'address' },
];

const orderKey: Field = { name: 'orderKey', type: 'bytes32' };
const deadline: Field = { name: 'deadline', type: 'uint64' };
const reasonHash: Field = { name: 'reasonHash', type: 'bytes32' };

/** The structs that merchants, attesters and buyers sign (docs/reference/protocol.md#what-is-signed). */
export const contractStructs = {
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

/** Fields of a signed authorization (EIP-3009) and of a permit (EIP-2612), in their order. */
export const tokenStructs = {
  ReceiveWithAuthorization: [
    { name: 'from', type: 'address' },
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'validAfter', type: 'uint256' },
    { name: 'validBefore', type: 'uint256' },
    { name: 'nonce', type: 'bytes32' },
  ],
  Permit: [
    { name: 'owner', type: 'address' },
    { name: 'spender', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'nonce', type: 'uint256' },
    { name: 'deadline', type: 'uint256' },
  ],
} as const satisfies Readonly<Record<string, readonly Field[]>>;
