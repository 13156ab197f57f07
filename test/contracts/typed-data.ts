/** The EIP-712 types of everything that is signed for the contract. */
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
    { name: 'campaignId', type: 'uint256' },
    { name: 'termsHash', type: 'bytes32' },
    { name: 'buyer', type: 'address' },
    { name: 'orderKey', type: 'bytes32' },
    { name: 'refundedTotal', type: 'uint256' },
    { name: 'reasonHash', type: 'bytes32' },
    { name: 'deadline', type: 'uint64' },
  ],
  ReversalApproval: [
    { name: 'campaignId', type: 'uint256' },
    { name: 'termsHash', type: 'bytes32' },
    { name: 'buyer', type: 'address' },
    { name: 'orderKey', type: 'bytes32' },
    { name: 'reasonHash', type: 'bytes32' },
    { name: 'deadline', type: 'uint64' },
  ],
} as const;
