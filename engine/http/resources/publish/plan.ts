import { type ContractFunctionArgs, keccak256, stringToBytes } from 'viem';
import type { z } from 'zod';
import type { referralCommerceAbi } from '../../../../abis/index.ts';
import type { CompleteDraft } from '../../../contract/shapes/draft.ts';
import { metadataText } from '../../../core/campaign-metadata.ts';
import { type Address, type Hex, trustModes } from '../../../core/events.ts';
import { termsHash } from '../../../core/terms.ts';
import type { ProductToSell } from '../../../db/read/products/to-sell.ts';
import type { PolicyHashes } from '../../../verify/policy-hash.ts';
import { lowerAddress } from '../../input/address.ts';
import { secondsOf } from './issues.ts';
import { planPolicy } from './policy.ts';

type CreateArgs = ContractFunctionArgs<typeof referralCommerceAbi, 'nonpayable', 'createCampaign'>;

/** Everything that publishing a draft sends to the chain, with its hashes. */
export interface PublishPlan extends PolicyHashes {
  readonly create: CreateArgs;
  readonly product: Pick<ProductToSell, 'id' | 'version'>;
  readonly token: Address;
  readonly skuHash: Hex;
  readonly metadataHash: Hex;
  readonly salt: Hex;
  /** Names the campaign in every later transaction. */
  readonly termsHash: Hex;
  /** Text whose keccak-256 is `metadataHash`. */
  readonly content: string;
  /** Base units. */
  readonly price: bigint;
  readonly funding: bigint;
}

/** Merchant and deployment of a draft. */
export interface Publisher {
  readonly chainId: number;
  readonly contractAddress: Address;
  readonly merchant: Address;
  readonly draft: { readonly id: string; readonly key: string };
}

/** Plan for publishing a complete draft (docs/reference/api.md#publishing-a-campaign). */
export function planCampaign(
  draft: z.infer<typeof CompleteDraft>,
  product: ProductToSell,
  publisher: Publisher,
  salt: Hex,
): PublishPlan {
  const token = lowerAddress(draft.token);
  const { policy, ...hashes } = planPolicy(draft.policy, token);
  const input = {
    token,
    price: BigInt(draft.price),
    skuHash: product.skuHash,
    startsAt: BigInt(secondsOf(draft.startsAt)),
    endsAt: BigInt(secondsOf(draft.endsAt)),
    nodeCapacity: BigInt(draft.nodeCapacity),
    saleCapacity: BigInt(draft.saleCapacity),
    trustMode: trustModes.indexOf(draft.trustMode),
    inviteOnly: draft.inviteOnly ?? false,
    // 0 is the contract's default.
    nodesPerAccount: draft.nodesPerAccount ?? 0,
  };
  const sold = { id: product.id, version: product.version };
  const content = metadataText({
    chainId: publisher.chainId,
    contract: publisher.contractAddress,
    merchant: publisher.merchant,
    draft: { id: publisher.draft.id, number: publisher.draft.key },
    product: sold,
    campaign: { ...input, trustMode: draft.trustMode },
    policyHash: hashes.policyHash,
    funding: draft.funding,
  });
  const metadataHash = keccak256(stringToBytes(content));
  const { price, skuHash } = input;
  const funding = BigInt(draft.funding);
  const create: CreateArgs = [{ ...input, metadataHash, salt }, policy];
  const { merchant } = publisher;
  const { trustMode } = draft;
  const terms = { merchant, token, trustMode, metadataHash, salt };
  return {
    create,
    product: sold,
    token,
    skuHash,
    metadataHash,
    salt,
    termsHash: termsHash((bytes) => keccak256(bytes, 'bytes'), terms),
    content,
    price,
    funding,
    ...hashes,
  };
}
