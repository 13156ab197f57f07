import type { MethodOf, OutputOf } from '../../../contract/types.ts';
import type { Hex } from '../../../core/events.ts';
import { decodeReferralCode, encodeReferralCode } from '../../../core/referral-code.ts';
import { ledgerId } from '../../../db/ids.ts';
import {
  type FoundCampaign,
  type FoundNode,
  findAccount,
  findCampaigns,
  findCampaignsByHash,
  findDistributors,
  findMerchants,
  findNodes,
  findProducts,
  findSales,
  findSalesByOrder,
  findTransaction,
} from '../../../db/read/search/find.ts';
import { readLedger, type Snapshot } from '../../../db/read/snapshot.ts';
import type { ServedDeployment } from '../../deps.ts';
import { chainMeta, type Handler } from '../../handler-types.ts';
import { merchantRef, soldProduct } from '../../render/product.ts';

type Result = OutputOf<MethodOf<'search.find'>>['items'][number];
type ResultType = Result['type'];

/** Results of each type if the request names no limit. */
const DEFAULT_LIMIT = 5;

/** A search of one type of results. */
interface Search {
  readonly type: ResultType;
  readonly run: () => Promise<Result[]>;
}

/** `search.find`: what a text names exactly, and what has its words. */
export const find: Handler<'search.find'> = async (input, { pool, deployment }) => {
  const { types, limit = DEFAULT_LIMIT } = input;
  const q = input.q.trim();
  return await readLedger(pool, async (snapshot) => {
    const searches = searchesFor(snapshot, deployment, q, limit).filter(
      ({ type }) => types === undefined || types.includes(type),
    );
    const found = await Promise.all(searches.map(({ run }) => run()));
    return { data: { items: found.flat() }, chain: chainMeta(deployment, snapshot.head) };
  });
};

/** The searches that fit the form of a text, those by exact names first. */
function searchesFor(
  snapshot: Snapshot,
  deployment: ServedDeployment,
  q: string,
  limit: number,
): Search[] {
  const lower = q.toLowerCase();
  if (/^0x[0-9a-f]{40}$/.test(lower)) return [byAddress(snapshot, `0x${lower.slice(2)}`)];
  if (/^0x[0-9a-f]{64}$/.test(lower))
    return byHash(snapshot, deployment, `0x${lower.slice(2)}`, limit);
  return [...byNumber(snapshot, deployment, q), ...byText(snapshot, q, limit)];
}

function byAddress(snapshot: Snapshot, address: Hex): Search {
  return {
    type: 'account',
    run: async () => {
      const found = await findAccount(snapshot, address);
      return found === undefined ? [] : [{ type: 'account', address, ...found }];
    },
  };
}

function byHash(
  snapshot: Snapshot,
  { chainId }: ServedDeployment,
  hash: Hex,
  limit: number,
): Search[] {
  return [
    {
      type: 'sale',
      run: async () => {
        const found = await findSalesByOrder(snapshot, hash, limit);
        return found.map((sale) => ({ type: 'sale', chainId, ...sale }));
      },
    },
    {
      type: 'transaction',
      run: async () => {
        const found = await findTransaction(snapshot, hash);
        if (found === undefined) return [];
        return [{ type: 'transaction', hash, blockNumber: String(found.blockNumber) }];
      },
    },
    {
      type: 'campaign',
      run: async () => (await findCampaignsByHash(snapshot, hash, limit)).map(campaignResult),
    },
  ];
}

/** Sale, link and block of a number, and the link of a referral code. Campaigns by id are found as words are. */
function byNumber(snapshot: Snapshot, { chainId }: ServedDeployment, q: string): Search[] {
  const number = ledgerId(q);
  const nodeIds = [number, decodeReferralCode(q)].filter((nodeId) => nodeId !== undefined);
  const links: Search = {
    type: 'link',
    run: async () => (await findNodes(snapshot, [...new Set(nodeIds)])).flatMap(linkResult),
  };
  if (number === undefined) return nodeIds.length === 0 ? [] : [links];
  const isSettled = BigInt(number) <= BigInt(snapshot.head.number);
  return [
    {
      type: 'sale',
      run: async () => {
        const found = await findSales(snapshot, number);
        return found.map((sale) => ({ type: 'sale', chainId, ...sale }));
      },
    },
    links,
    {
      type: 'block',
      run: async () => (isSettled ? [{ type: 'block', number: BigInt(number).toString() }] : []),
    },
  ];
}

function byText(snapshot: Snapshot, q: string, limit: number): Search[] {
  return [
    {
      type: 'distributor',
      run: async () => {
        const found = await findDistributors(snapshot.sql, q, limit);
        return found.map((one) => ({ type: 'distributor', ...one }));
      },
    },
    {
      type: 'campaign',
      run: async () => (await findCampaigns(snapshot, q, limit)).map(campaignResult),
    },
    {
      type: 'product',
      run: async () => {
        const found = await findProducts(snapshot, q, limit);
        return found.map(({ seller, ...product }) => ({
          type: 'product',
          ...product,
          merchant: merchantRef(seller),
        }));
      },
    },
    {
      type: 'merchant',
      run: async () => {
        const found = await findMerchants(snapshot.sql, q, limit);
        return found.map((merchant) => ({ type: 'merchant', ...merchantRef(merchant) }));
      },
    },
  ];
}

function campaignResult(campaign: FoundCampaign): Result {
  const { campaignId, seller } = campaign;
  return {
    type: 'campaign',
    campaignId,
    title: soldProduct(campaign).title,
    merchant: merchantRef(seller),
  };
}

function linkResult({ nodeId, campaignId, owner }: FoundNode): Result[] {
  const code = encodeReferralCode(nodeId);
  return code === undefined ? [] : [{ type: 'link', nodeId, campaignId, code, owner }];
}
