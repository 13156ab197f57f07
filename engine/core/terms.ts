import { ByteWriter } from './byte-writer.ts';
import type { Campaign } from './campaign.ts';
import type { Keccak256 } from './digest.ts';
import { type Hex, trustModes } from './events.ts';
import { toHex } from './hex-bytes.ts';

/** The properties that name a campaign on every fork of the chain (docs/reference/protocol.md#names-that-survive-a-reorg). */
export type CampaignTerms = Pick<
  Campaign,
  'merchant' | 'token' | 'trustMode' | 'metadataHash' | 'salt'
>;

/**
 * Hash that names a campaign in signed calls, because a reorg can give its id to another one:
 * `keccak256(abi.encode(merchant, token, uint8 trustMode, metadataHash, salt))`, as the contract
 * computes it.
 */
export function termsHash(keccak256: Keccak256, terms: CampaignTerms): Hex {
  const words = new ByteWriter();
  words.word(BigInt(terms.merchant));
  words.word(BigInt(terms.token));
  words.word(BigInt(trustModes.indexOf(terms.trustMode)));
  words.hex(terms.metadataHash);
  words.hex(terms.salt);
  return toHex(keccak256(words.bytes()));
}
