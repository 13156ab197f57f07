import { type Address, encodeAbiParameters, type Hex, keccak256 } from 'viem';

/** The parts of a campaign's terms hash, except its merchant. */
export type Terms = {
  readonly token: Address;
  readonly trustMode: number;
  readonly metadataHash: Hex;
  readonly salt: Hex;
};

/** keccak256(abi.encode(merchant, token, trustMode, metadataHash, salt)). */
export function termsHashOf(merchant: Address, terms: Terms): Hex {
  return keccak256(
    encodeAbiParameters(
      [
        { type: 'address' },
        { type: 'address' },
        { type: 'uint8' },
        { type: 'bytes32' },
        { type: 'bytes32' },
      ],
      [merchant, terms.token, terms.trustMode, terms.metadataHash, terms.salt],
    ),
  );
}
