import { type Address, type Hex, toHex } from 'viem';
import type { Client } from '../../engine/client/index.ts';
import { type Actor, type Actors, merchantOf } from '../actors.ts';
import type { Accounts } from '../commerce/accounts.ts';
import type { Rpc } from '../rpc.ts';
import { SAMPLE_SEED } from '../run-sample.ts';
import { campaignScenarios } from '../scenarios.ts';
import type { Timeline } from '../timeline.ts';
import type { TokenKey } from '../tokens.ts';

/** Thrown if an event cannot be caused now; the message is a sentence. */
export class TriggerError extends Error {
  override readonly name = 'TriggerError';
}

/** Input of each cause. */
export interface TriggerWorld {
  readonly client: Client;
  /** Signs accounts in. */
  readonly accounts: Accounts;
  readonly rpc: Rpc;
  readonly actors: Actors;
  /** Receives the transactions to send. */
  readonly timeline: Timeline;
  /** The only campaign that may be used; `undefined` for any. */
  readonly campaignId: string | undefined;
}

/** A campaign as the API returns it. */
export type CampaignRecord = Awaited<ReturnType<Client['campaigns']['get']>>['data'];

/**
 * The first campaign that fits.
 * @param need end of the sentence "The campaign must …".
 * @throws {TriggerError} if none fits.
 */
export async function findCampaign(
  world: TriggerWorld,
  need: string,
  fits: (campaign: CampaignRecord) => boolean | Promise<boolean>,
): Promise<CampaignRecord> {
  for (const campaignId of await campaignIds(world)) {
    const { data: campaign } = await world.client.campaigns.get({ campaignId });
    if (await fits(campaign)) return campaign;
  }
  const { campaignId } = world;
  const found =
    campaignId === undefined ? 'No campaign fits' : `Campaign ${campaignId} does not fit`;
  throw new TriggerError(`${found}: it must ${need}.`);
}

/** Ids of the campaigns that may be used, lowest first. */
export async function campaignIds({ client, campaignId }: TriggerWorld): Promise<string[]> {
  if (campaignId !== undefined) return [campaignId];
  const { data } = await client.campaigns.list({ limit: 100 });
  return data.items.map((campaign) => campaign.campaignId).sort((a, b) => Number(a) - Number(b));
}

/** The account of a campaign's merchant. @throws {TriggerError} if it is not one of the sample. */
export function merchantOfCampaign({ campaignId, merchant }: CampaignRecord): Actor {
  const actors = campaignScenarios.map(({ merchant: slug }) => merchantOf(SAMPLE_SEED, slug));
  const found = actors.find(({ address }) => isSame(address, merchant.address));
  if (found !== undefined) return found;
  throw new TriggerError(`The merchant of campaign ${campaignId} is not an account of the sample.`);
}

/** Key of a campaign's token. @throws {TriggerError} if it is not one of the sample. */
export function tokenOfCampaign({ actors }: TriggerWorld, campaign: CampaignRecord): TokenKey {
  const { address } = campaign.token;
  const found = Object.values(actors.tokens).find((token) => isSame(token.address, address));
  if (found !== undefined) return found.key;
  throw new TriggerError(`The token of campaign ${campaign.campaignId} is not one of the sample.`);
}

/** 32 random bytes, for keys that the contract accepts once. */
export function randomKey(): Hex {
  return toHex(crypto.getRandomValues(new Uint8Array(32)));
}

function isSame(one: Address, other: Address): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
