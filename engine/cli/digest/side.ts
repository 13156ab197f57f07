import type { MethodOf, OutputOf } from '../../contract/types.ts';
import { askApi } from '../api-client.ts';
import { CommandError } from '../exit-codes.ts';

type DigestPage = OutputOf<MethodOf<'system.digest'>>;
export type CampaignDigest = DigestPage['items'][number];
export type DigestEvent = OutputOf<MethodOf<'system.digestEvents'>>['items'][number];

/** Digests on a page: as many as the API gives. */
const PAGE = 100;

/** The digests of a block: its root, and those of the campaigns under it. */
export interface BlockDigests {
  readonly block: number;
  readonly root: string;
  /** Campaigns that the side has stopped, so that they are not under the root. */
  readonly leftOut: readonly string[];
  readonly campaigns: readonly CampaignDigest[];
}

/** One of the deployments that are compared, asked over its API. */
export class Side {
  constructor(readonly url: string) {}

  /** What it serves, and up to where it is settled. */
  async deployment(): Promise<{ name: string; settled: number }> {
    const { data } = await askApi(this.url, (client) => client.system.status({}));
    if (data.settled === null) throw new CommandError(`${this.url} has settled nothing yet.`);
    const { chainId, contractAddress, genesisHash } = data.deployment;
    const name = `contract ${contractAddress} on chain ${chainId} (${genesisHash})`;
    return { name, settled: Number(data.settled.number) };
  }

  /** The root at a block, and the campaigns that it leaves out. */
  async root(block: number): Promise<Pick<BlockDigests, 'root' | 'leftOut'>> {
    const { root, leftOut } = await this.#page({ block: String(block), limit: 1 });
    return { root, leftOut };
  }

  /** A campaign's digest at a block; `undefined` where it was not there yet. */
  async campaign(campaignId: string, block: number): Promise<CampaignDigest | undefined> {
    return (await this.#page({ block: String(block), campaignId })).items[0];
  }

  /** All of a block; the settled one where none is named. */
  async digests(block: number | undefined): Promise<BlockDigests> {
    const campaigns: CampaignDigest[] = [];
    const input = { limit: PAGE, ...(block === undefined ? {} : { block: String(block) }) };
    let page = await this.#page(input);
    for (;;) {
      campaigns.push(...page.items);
      if (page.nextCursor === null) break;
      page = await this.#page({ ...input, cursor: page.nextCursor });
    }
    return { block: Number(page.block), root: page.root, leftOut: page.leftOut, campaigns };
  }

  /** The event of a campaign after so many of its events. */
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
