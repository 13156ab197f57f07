import { writeSampleOpens } from '../../engine/db/commerce/sample-opens.ts';
import { campaignIdOf, merchant, numbered, type World } from './world.ts';

/** Milliseconds in which an invitation can be accepted: a month, or three seconds. */
const ANSWERABLE_MS = { long: 30 * 86_400_000, hardly: 3_000 };

/** Profiles of the sample's busiest distributors, by their number. */
const profiles = [
  { number: 1, handle: 'kettle-and-cup', displayName: 'Kettle & Cup', visibility: 'public' },
  { number: 2, handle: 'north-wind', displayName: 'North Wind Newsletter', visibility: 'public' },
  { number: 8, handle: 'grid-lover', displayName: 'Grid Lover', visibility: 'public' },
  { number: 9, handle: 'quiet-river', displayName: null, visibility: 'pseudonymous' },
] as const;

/** Chooses handles of distributors; one hides its address. */
export async function chooseHandles({ accounts, actors }: World): Promise<void> {
  for (const { number, ...profile } of profiles) {
    const client = await accounts.as(numbered(actors.distributors, number));
    const { data } = await client.reputation.mine();
    if (data.handle === null) await client.reputation.updateVisibility(profile);
  }
}

/** Fates of the invitations, by the distributor's number. */
const invitations = [
  { number: 1, outcome: 'accept' },
  { number: 2, outcome: 'decline' },
  { number: 8, outcome: 'wait' },
  { number: 9, outcome: 'withdraw' },
  { number: 14, outcome: 'expire' },
] as const;

/** Number of the distributor who asks for an invitation. */
const ASKS = 3;

/** Sends invitations to a campaign, and gives each a different outcome. */
export async function invite({ accounts, actors }: World): Promise<void> {
  const inviter = await accounts.as(merchant('northlight-studio'));
  const { data: sent } = await inviter.invitations.sent({ limit: 100 });
  const invited = new Set<string>(sent.items.map(({ distributor }) => distributor));
  for (const { number, outcome } of invitations) {
    const actor = numbered(actors.distributors, number);
    if (invited.has(actor.address.toLowerCase())) continue;
    const answerableMs = outcome === 'expire' ? ANSWERABLE_MS.hardly : ANSWERABLE_MS.long;
    const { data: invitation } = await inviter.invitations.send({
      distributor: actor.address,
      campaignId: campaignIdOf('icon-library-licence'),
      message: 'Your readers draw screens all day: our icons may save them some of it.',
      terms: 'Show the icons as they are, and say that you are paid.',
      expiresAt: new Date(Date.now() + answerableMs).toISOString(),
    });
    const { id } = invitation;
    if (outcome === 'withdraw') await inviter.invitations.withdraw({ id });
    if (outcome !== 'accept' && outcome !== 'decline') continue;
    const client = await accounts.as(actor);
    const reason = outcome === 'decline' ? 'Not what my readers look for.' : undefined;
    await client.invitations.respond({ id, response: outcome, reason });
  }
}

/** Asks the merchant of a campaign that is by invitation for one; the request waits for an answer. */
export async function askToJoin({ accounts, actors }: World): Promise<void> {
  const client = await accounts.as(numbered(actors.distributors, ASKS));
  const campaignId = campaignIdOf('icon-library-licence');
  const { data } = await client.joinRequests.mine({ campaignId, limit: 1 });
  if (data.items.length > 0) return;
  await client.joinRequests.send({
    campaignId,
    message: 'I write about tools for small design teams, to some 900 readers a week.',
  });
}

/** Opens links: for each past day by SQL, and once today through the API. */
export async function openLinks({ accounts, actors, pool }: World): Promise<void> {
  await writeSampleOpens(pool);
  const client = await accounts.as(numbered(actors.distributors, 1));
  const { data } = await client.links.mine({ limit: 1 });
  const code = data.items[0]?.code;
  if (code) await client.referrals.open({ code });
}
