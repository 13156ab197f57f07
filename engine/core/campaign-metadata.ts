import { canonicalJson } from './canonical-json.ts';
import type { Address, Hex, TrustMode } from './events.ts';

/** Content of the metadata of a campaign (docs/reference/api.md#publishing-a-campaign). Addresses are in lower case. */
export interface CampaignMetadata {
  readonly chainId: number;
  readonly contract: Address;
  readonly merchant: Address;
  /** Draft that it was prepared from; `number` distinguishes drafts of one id. */
  readonly draft: { readonly id: string; readonly number: string };
  readonly product: { readonly id: string; readonly version: number };
  readonly campaign: {
    readonly token: Address;
    /** Base units. */
    readonly price: bigint;
    readonly skuHash: Hex;
    /** Unix seconds. */
    readonly startsAt: bigint;
    /** Unix seconds. */
    readonly endsAt: bigint;
    readonly nodeCapacity: bigint;
    readonly saleCapacity: bigint;
    readonly trustMode: TrustMode;
    readonly inviteOnly: boolean;
    /** 0 is the contract's default. */
    readonly nodesPerAccount: number;
  };
  readonly policyHash: Hex;
  /** Rewards to deposit at the start, base units in decimal digits. */
  readonly funding: string;
}

/** Text whose keccak-256, in UTF-8, is a campaign's `metadataHash`. */
export function metadataText(metadata: CampaignMetadata): string {
  return canonicalJson({ format: 'tributary-campaign-1', ...metadata });
}
