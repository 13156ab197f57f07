import { ApiError } from '../../../../engine/client/index.ts';
import { pathOf } from '../../../../engine/contract/pages.ts';
import { decodeReferralCode } from '../../../../engine/core/referral-code.ts';
import { api, type RequestOptions } from '../../api.ts';
import { shortHex } from '../../format.ts';

/** Something that a search found, and its page. */
export interface Hit {
  readonly href: string;
  readonly title: string;
  readonly detail: string;
}

type Lookup = (options: RequestOptions) => Promise<Hit>;

const NUMBER = /^[1-9][0-9]{0,77}$/;
const ADDRESS = /^0x[0-9a-f]{40}$/i;
const SLUG = /^[a-z0-9][a-z0-9-]{1,62}$/i;

/**
 * Possible meanings of a text, requested concurrently: a number is a sale, a campaign or a
 * link, and the code of a link may be all digits, too.
 */
export async function search(
  text: string,
  chainId: number,
  options: RequestOptions,
): Promise<readonly Hit[]> {
  const hits = await Promise.all(lookupsOf(text, chainId).map((lookup) => found(lookup, options)));
  const all = hits.flatMap((hit) => hit ?? []);
  return all.filter(({ href }, i) => all.findIndex((other) => other.href === href) === i);
}

function lookupsOf(text: string, chainId: number): readonly Lookup[] {
  if (isAddress(text)) return [distributor(text), merchant(text)];
  const code = decodeReferralCode(text) === undefined ? [] : [linkByCode(text)];
  if (NUMBER.test(text)) return [sale(chainId, text), campaign(text), link(text), ...code];
  return [...code, ...(SLUG.test(text) ? [merchant(text.toLowerCase())] : [])];
}

function isAddress(text: string): text is `0x${string}` {
  return ADDRESS.test(text);
}

/** The hit, or `undefined` for a 404; any other error fails the search. */
async function found(lookup: Lookup, options: RequestOptions): Promise<Hit | undefined> {
  try {
    return await lookup(options);
  } catch (error) {
    if (error instanceof ApiError && (error.status === 404 || error.status === 400))
      return undefined;
    throw error;
  }
}

function sale(chainId: number, saleId: string): Lookup {
  return async (options) => {
    const { data } = await api.receipts.get({ chainId, saleId }, options);
    return {
      href: pathOf('receipt', { chainId, saleId }),
      title: `Sale ${saleId}`,
      detail: `${data.product.title} in campaign ${data.campaignId}, ${data.state}`,
    };
  };
}

function campaign(campaignId: string): Lookup {
  return async (options) => {
    const { data } = await api.campaigns.get({ campaignId }, options);
    return {
      href: pathOf('campaign', { campaignId }),
      title: `Campaign ${campaignId}`,
      detail: `${data.product.title} of ${data.merchant.name}`,
    };
  };
}

function link(nodeId: string): Lookup {
  return async (options) => linkHit((await api.links.get({ nodeId }, options)).data);
}

function linkByCode(code: string): Lookup {
  return async (options) => linkHit((await api.referrals.get({ code }, options)).data.link);
}

interface FoundLink {
  readonly nodeId: string;
  readonly code: string | null;
  readonly owner: string;
  readonly campaign: { readonly campaignId: string };
}

function linkHit({ nodeId, code, owner, campaign: { campaignId } }: FoundLink): Hit {
  return {
    href: `${pathOf('campaign', { campaignId })}?node=${nodeId}`,
    title: `Link ${nodeId}${code === null ? '' : ` (code ${code})`}`,
    detail: `Of ${shortHex(owner)} in campaign ${campaignId}`,
  };
}

function distributor(address: `0x${string}`): Lookup {
  return async (options) => {
    const { data } = await api.distributors.get({ address }, options);
    return {
      href: pathOf('distributor', data),
      title: `Distributor ${data.handle ?? shortHex(data.address)}`,
      detail: `${data.linkCount} links, ${data.settledConversions} settled sales`,
    };
  };
}

function merchant(slug: string): Lookup {
  return async (options) => {
    const { data } = await api.merchants.get({ slug }, options);
    return {
      href: pathOf('merchant', data),
      title: `Merchant ${data.name}`,
      detail: shortHex(data.address),
    };
  };
}
