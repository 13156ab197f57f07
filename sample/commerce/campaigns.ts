import { writeSampleMetadata } from '../../engine/db/commerce/sample-metadata.ts';
import { merchantOf } from '../actors.ts';
import { metadataOf } from '../campaign.ts';
import { seededRandom } from '../random.ts';
import { SAMPLE_SEED } from '../run-sample.ts';
import { campaignScenarios } from '../scenarios.ts';
import { Timeline } from '../timeline.ts';
import { baseUnits } from '../tokens.ts';
import { campaignIdOf, merchant, type World } from './world.ts';

const DAY_MS = 86_400_000;

/** Draft that is saved last: if it exists, all other data of the commerce side does too. */
const LAST_DRAFT = 'spring-blend';

/** True if the commerce side of the sample has been written before. */
export async function isFilled({ accounts }: World): Promise<boolean> {
  const client = await accounts.as(merchant('harbor-roasters'));
  const { data } = await client.campaigns.mine({ kind: 'draft', limit: 100 });
  return data.items.some(({ draft }) => draft?.id === LAST_DRAFT);
}

/** Publishes the texts behind the metadata hashes of the campaigns that have a product. */
export async function publishMetadata({ accounts, actors, pool }: World): Promise<void> {
  const client = await accounts.as(merchant('harbor-roasters'));
  const { data: status } = await client.system.status({});
  const { data: first } = await client.campaigns.get({ campaignId: '1' });
  const startTimestamp = Date.parse(first.startsAt) / 1_000;
  const { chainId } = status.deployment;
  const timeline = new Timeline(actors, seededRandom(SAMPLE_SEED), startTimestamp, chainId);
  const texts = campaignScenarios.flatMap(
    (scenario) => metadataOf(timeline, scenario, merchantOf(SAMPLE_SEED, scenario.merchant)) ?? [],
  );
  await writeSampleMetadata(pool, texts, new Date(first.startsAt));
}

/** Saves two policy templates of a merchant. */
export async function saveTemplates({ accounts }: World): Promise<void> {
  const client = await accounts.as(merchant('harbor-roasters'));
  const { data } = await client.studio.templates({ limit: 100 });
  const names = new Set(data.items.map(({ name }) => name));
  for (const { name, weightsBps } of [
    { name: 'Three levels, for subscriptions', weightsBps: [5_000, 3_000, 2_000] },
    { name: 'Who sells takes it all', weightsBps: [10_000] },
  ]) {
    if (names.has(name)) continue;
    await client.studio.saveTemplate({
      name,
      policy: {
        commissionBps: 1_200,
        maxRewardedAncestors: weightsBps.length,
        weightsBps,
        shortPathMode: 'RENORMALIZE_EXISTING',
        holdSeconds: (3 * DAY_MS) / 1_000,
        regions: ['US', 'CA'],
      },
    });
  }
}

/** Gives two campaigns private names and notes of their merchants. */
export async function nameCampaigns({ accounts }: World): Promise<void> {
  const harbor = await accounts.as(merchant('harbor-roasters'));
  await harbor.campaigns.updateSettings({
    campaignId: campaignIdOf('single-origin-subscription'),
    name: 'Subscription, evergreen',
    note: 'The new weights hold since day 12: compare the depth of sales before and after.',
  });
  const fjord = await accounts.as(merchant('fjord-outfitters'));
  await fjord.campaigns.updateSettings({
    campaignId: campaignIdOf('alpine-shell-jacket'),
    name: 'Shell jacket, first run',
    note: 'Paused: the liability cap is nearly reached.',
  });
}

/** Saves an incomplete draft, and one that could be published. */
export async function draftCampaigns({ accounts, actors }: World): Promise<void> {
  const client = await accounts.as(merchant('harbor-roasters'));
  const { data } = await client.campaigns.mine({ kind: 'draft', limit: 100 });
  const inDays = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString();
  if (!data.items.some(({ draft }) => draft?.id === 'gift-cards')) {
    await client.campaigns.saveDraft({
      id: 'gift-cards',
      draft: { version: 0, name: 'Gift cards?', policy: { commissionBps: 700 } },
    });
  }
  await client.campaigns.saveDraft({
    id: LAST_DRAFT,
    draft: {
      version: 0,
      name: 'Spring blend',
      productId: 'single-origin-subscription',
      token: actors.tokens.dollar.address,
      price: baseUnits('dollar', '18.75').toString(),
      startsAt: inDays(7),
      endsAt: inDays(97),
      nodeCapacity: 500,
      saleCapacity: 2_000,
      trustMode: 'NATIVE_ONCHAIN',
      policy: {
        commissionBps: 1_500,
        maxRewardedAncestors: 3,
        weightsBps: [5_000, 3_000, 2_000],
        shortPathMode: 'RENORMALIZE_EXISTING',
        holdSeconds: (3 * DAY_MS) / 1_000,
        expiry: inDays(97),
        regions: ['US', 'CA'],
        sharingRules: ['Say that you are paid: #ad'],
      },
      funding: baseUnits('dollar', '600').toString(),
    },
  });
}

/** Hides a campaign as an operator and shows it again, so that the log has both decisions. */
export async function moderate({ accounts, actors }: World): Promise<void> {
  const client = await accounts.as(actors.operator);
  const { data: session } = await client.auth.session();
  if (!session.scopes.includes('operator')) return;
  const { data: log } = await client.moderation.log({ limit: 1 });
  if (log.items[0]?.action === 'unhide') return;
  const campaignId = campaignIdOf('driftwood-lamp');
  await client.moderation.hide({ campaignId, reason: 'It is not known who sells this lamp.' });
  await client.moderation.unhide({
    campaignId,
    reason: 'The lamps arrive: three buyers confirmed it.',
  });
}
