import type { MethodOf, OutputOf } from '../../../contract/types.ts';
import type { Hex } from '../../../core/events.ts';
import { decodeReferralCode, encodeReferralCode } from '../../../core/referral-code.ts';
import { ledgerId } from '../../../db/ids.ts';
import {
  type FoundNode,
  type FoundSale,
  findAccounts,
  findNodes,
  findSales,
  findSalesByOrder,
  findTransactions,
  hexRange,
} from '../../../db/read/search/find.ts';
import {
  type FoundCampaign,
  findCampaigns,
  findCampaignsByHash,
  findDistributors,
  findMerchants,
  findProducts,
} from '../../../db/read/search/find-names.ts';
import { MATCHES, matchOf, setSimilarity } from '../../../db/read/search/named.ts';
import { readSearchText } from '../../../db/read/search/text.ts';
import { readLedger, type Snapshot } from '../../../db/read/snapshot.ts';
import type { ServedDeployment } from '../../deps.ts';
import { chainMeta, type Handler } from '../../handler-types.ts';
import { ADDRESS_LENGTH, HASH_LENGTH, hexPrefix } from '../../input/hash.ts';
import { merchantRef, soldProduct, tokenOf } from '../../render/product.ts';

type Result = OutputOf<MethodOf<'search.find'>>['items'][number];
type ResultType = Result['type'];
type Match = Result['match'];

/** Results of each type if the request names no limit. */
const DEFAULT_LIMIT = 5;

/** A search of one type of results. */
interface Search {
  readonly type: ResultType;
  readonly run: () => Promise<Result[]>;
}

/** `search.find`: what a text names, begins, describes or is nearly the name of; the best matches first. */
export const find: Handler<'search.find'> = async (input, { pool, deployment }) => {
  const { types, limit = DEFAULT_LIMIT } = input;
  const q = input.q.trim();
  return await readLedger(pool, async (snapshot) => {
    const searches = searchesFor({ snapshot, deployment, limit }, q).filter(
      ({ type }) => types === undefined || types.includes(type),
    );
    // The setting is sent before the statements that it is for, on their connection.
    const [, ...found] = await Promise.all([
      setSimilarity(snapshot.sql),
      ...searches.map(({ run }) => run()),
    ]);
    const results = found.flat();
    const isNamed = results.some(({ match }) => match !== 'mentioned' && match !== 'similar');
    const items = MATCHES.flatMap((match) => {
      // Nothing was mistyped if something has that name.
      if (match === 'similar' && isNamed) return [];
      return results.filter((one) => one.match === match);
    });
    return { data: { items }, chain: chainMeta(deployment, snapshot.head) };
  });
};

interface SearchContext {
  readonly snapshot: Snapshot;
  readonly deployment: ServedDeployment;
  /** Largest number of results of each type. */
  readonly limit: number;
}

/** The searches that fit the form of a text. */
function searchesFor(context: SearchContext, q: string): Search[] {
  const hex = hexPrefix(q);
  if (hex !== undefined) return byHex(context, hex);
  return [...byNumber(context, q), ...byText(context, q)];
}

/** Searches for an address or hash, whole or its beginning. */
function byHex({ snapshot, deployment, limit }: SearchContext, hex: Hex): Search[] {
  const matchIn = (length: number): Match => (hex.length === length ? 'exact' : 'prefix');
  const hashes = hexRange(hex, 32);
  const ofHash: Search[] = [
    {
      type: 'sale',
      run: async () => {
        const found = await findSalesByOrder(snapshot, hashes, limit);
        return found.map((sale) => saleResult(deployment, sale, matchIn(HASH_LENGTH)));
      },
    },
    {
      type: 'transaction',
      run: async () => {
        const found = await findTransactions(snapshot, hashes, limit);
        return found.map(({ hash, blockNumber }) => ({
          type: 'transaction',
          match: matchIn(HASH_LENGTH),
          hash,
          blockNumber: String(blockNumber),
        }));
      },
    },
  ];
  if (hex.length === HASH_LENGTH) return [...ofHash, byTermsHash({ snapshot, limit }, hex)];
  if (hex.length > ADDRESS_LENGTH) return ofHash;
  const accounts: Search = {
    type: 'account',
    run: async () => {
      const found = await findAccounts(snapshot, hexRange(hex, 20), limit);
      return found.map((account) => ({
        type: 'account',
        match: matchIn(ADDRESS_LENGTH),
        ...account,
      }));
    },
  };
  // A text of 40 digits is an address, not the beginning of a hash.
  return hex.length === ADDRESS_LENGTH ? [accounts] : [accounts, ...ofHash];
}

function byTermsHash({ snapshot, limit }: Omit<SearchContext, 'deployment'>, hash: Hex): Search {
  return {
    type: 'campaign',
    run: async () => (await findCampaignsByHash(snapshot, hash, limit)).map(campaignResult),
  };
}

/** Sale, link and block of a number, and the link of a referral code. Campaigns by id are found as words are. */
function byNumber({ snapshot, deployment }: SearchContext, q: string): Search[] {
  const number = ledgerId(q);
  const nodeIds = [number, decodeReferralCode(q)].filter((nodeId) => nodeId !== undefined);
  const links: Search = {
    type: 'link',
    run: async () => (await findNodes(snapshot, [...new Set(nodeIds)])).flatMap(linkResult),
  };
  if (number === undefined) return nodeIds.length === 0 ? [] : [links];
  const isSettled = BigInt(number) <= BigInt(snapshot.head.number);
  const block: Result = { type: 'block', match: 'exact', number: BigInt(number).toString() };
  return [
    {
      type: 'sale',
      run: async () => {
        const found = await findSales(snapshot, number);
        return found.map((sale) => saleResult(deployment, sale, 'exact'));
      },
    },
    links,
    { type: 'block', run: async () => (isSettled ? [block] : []) },
  ];
}

function byText({ snapshot, limit }: SearchContext, typed: string): Search[] {
  const q = readSearchText(typed);
  if (q === undefined) return [];
  const search = <T extends { readonly rank: number }>(
    type: ResultType,
    read: () => Promise<T[]>,
    resultOf: (one: Omit<T, 'rank'>, match: Match) => Result,
  ): Search => ({
    type,
    run: async () => (await read()).map(({ rank, ...one }) => resultOf(one, matchOf(rank))),
  });
  return [
    search(
      'distributor',
      () => findDistributors(snapshot.sql, q, limit),
      (one, match) => ({ type: 'distributor', match, ...one }),
    ),
    search(
      'campaign',
      () => findCampaigns(snapshot, q, limit),
      (one, match) => ({ ...campaignResult(one), match }),
    ),
    search(
      'product',
      () => findProducts(snapshot, q, limit),
      ({ seller, ...product }, match) => ({
        type: 'product',
        match,
        ...product,
        merchant: merchantRef(seller),
      }),
    ),
    search(
      'merchant',
      () => findMerchants(snapshot.sql, q, limit),
      ({ seller }, match) => ({ type: 'merchant', match, ...merchantRef(seller) }),
    ),
  ];
}

function campaignResult(campaign: Omit<FoundCampaign, 'rank'>): Result {
  const { campaignId, seller } = campaign;
  return {
    type: 'campaign',
    match: 'exact',
    campaignId,
    title: soldProduct(campaign).title,
    merchant: merchantRef(seller),
  };
}

function saleResult({ chainId }: ServedDeployment, sale: FoundSale, match: Match): Result {
  const { saleId, campaignId, amount, token } = sale;
  return {
    type: 'sale',
    match,
    chainId,
    saleId,
    campaignId,
    title: soldProduct(sale).title,
    amount: amount.toString(),
    token: tokenOf(token),
  };
}

function linkResult({ nodeId, campaignId, owner, ownerName }: FoundNode): Result[] {
  const code = encodeReferralCode(nodeId);
  if (code === undefined) return [];
  return [{ type: 'link', match: 'exact', nodeId, campaignId, code, owner, ownerName }];
}
