import type { MethodOf, OutputOf } from '../../contract/types.ts';
import { askApi } from '../api-client.ts';
import { CommandError } from '../exit-codes.ts';

type DigestPage = OutputOf<MethodOf<'system.digest'>>;
/** Digest of a campaign, as the API returns it. */
export type ServedDigest = DigestPage['items'][number];
/** An event with its digest, as the API returns it. */
export type DigestEvent = OutputOf<MethodOf<'system.digestEvents'>>['items'][number];

/** Digests per page: the API's maximum. */
const PAGE = 100;

/** Root of a block and the digests of its campaigns. */
export interface BlockDigests {
  readonly block: number;
  readonly root: string;
  /** Campaigns that the side has stopped, and that the root does not contain. */
  readonly leftOut: readonly string[];
  readonly campaigns: readonly ServedDigest[];
}

/** One of two deployments that are compared, read over its API. */
export class Side {
  constructor(readonly url: string) {}

  /** Name of the deployment, and its settled block. */
  async deployment(): Promise<{ name: string; settled: number }> {
    const { data } = await askApi(this.url, (client) => client.system.status({}));
    if (data.settled === null) throw new CommandError(`${this.url} has settled nothing yet.`);
    const { chainId, contractAddress, genesisHash } = data.deployment;
    const name = `contract ${contractAddress} on chain ${chainId} (${genesisHash})`;
    return { name, settled: Number(data.settled.number) };
  }

  /** Root at a block, and the campaigns that it leaves out. */
  async root(block: number): Promise<Pick<BlockDigests, 'root' | 'leftOut'>> {
    const { root, leftOut } = await this.#page({ block: String(block), limit: 1 });
    return { root, leftOut };
  }

  /** A campaign's digest at a block; `undefined` if it did not exist yet. */
  async campaign(campaignId: string, block: number): Promise<ServedDigest | undefined> {
    return (await this.#page({ block: String(block), campaignId })).items[0];
  }

  /** All digests at a block; default the settled block. */
  async digests(block: number | undefined): Promise<BlockDigests> {
    const campaigns: ServedDigest[] = [];
    const input = { limit: PAGE, ...(block === undefined ? {} : { block: String(block) }) };
    let page = await this.#page(input);
    for (;;) {
      campaigns.push(...page.items);
      if (page.nextCursor === null) break;
      page = await this.#page({ ...input, cursor: page.nextCursor });
    }
    return { block: Number(page.block), root: page.root, leftOut: page.leftOut, campaigns };
  }

  /** The event of a campaign after the first `sequence` events. */
  async eventAfter(campaignId: string, sequence: number): Promise<DigestEvent | undefined> {
    const { data } = await askApi(this.url, (client) =>
      client.system.digestEvents({ campaignId, after: sequence, limit: 1 }),
    );
    return data.items[0];
  }

  async #page(input: {
    block?: string;
    campaignId?: string;
    limit?: number;
    cursor?: string;
  }): Promise<DigestPage> {
    return (await askApi(this.url, (client) => client.system.digest(input))).data;
  }
}
