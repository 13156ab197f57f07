import { writeSampleOpens } from '../../../db/commerce/sample-opens.ts';
import { campaignIdOf, merchant, numbered, type Scene } from './scene.ts';

/** How long an invitation may be answered, in milliseconds: a month, or hardly at all. */
const ANSWERABLE_MS = { long: 30 * 86_400_000, hardly: 3_000 };

/** Who made a profile: the sample's busiest distributors, by their number. */
const profiles = [
  { number: 1, handle: 'kettle-and-cup', displayName: 'Kettle & Cup', visibility: 'public' },
  { number: 2, handle: 'north-wind', displayName: 'North Wind Newsletter', visibility: 'public' },
  { number: 8, handle: 'grid-lover', displayName: 'Grid Lover', visibility: 'public' },
  { number: 9, handle: 'quiet-river', displayName: null, visibility: 'pseudonymous' },
] as const;

/** Distributors choose their handles; one keeps it apart from its address. */
export async function chooseHandles({ accounts, cast }: Scene): Promise<void> {
  for (const { number, ...profile } of profiles) {
    const client = await accounts.as(numbered(cast.distributors, number));
    const { data } = await client.reputation.mine();
    if (data.handle === null) await client.reputation.updateVisibility(profile);
  }
}

/** What becomes of each invitation, by the distributor's number. */
const invitations = [
  { number: 1, fate: 'accept' },
  { number: 2, fate: 'decline' },
  { number: 8, fate: 'wait' },
  { number: 9, fate: 'withdraw' },
  { number: 14, fate: 'expire' },
] as const;

/** A merchant invites to its campaign by invitation, and is answered in all ways that there are. */
export async function invite({ accounts, cast }: Scene): Promise<void> {
  const inviter = await accounts.as(merchant('northlight-studio'));
  const { data: sent } = await inviter.invitations.sent({ limit: 100 });
  const invited = new Set<string>(sent.items.map(({ distributor }) => distributor));
  for (const { number, fate } of invitations) {
    const actor = numbered(cast.distributors, number);
    if (invited.has(actor.address.toLowerCase())) continue;
    const answerableMs = fate === 'expire' ? ANSWERABLE_MS.hardly : ANSWERABLE_MS.long;
    const { data: invitation } = await inviter.invitations.send({
      distributor: actor.address,
      campaignId: campaignIdOf('icon-library-licence'),
      message: 'Your readers draw screens all day: our icons may save them some of it.',
      terms: 'Show the icons as they are, and say that you are paid.',
      expiresAt: new Date(Date.now() + answerableMs).toISOString(),
    });
    const { id } = invitation;
    if (fate === 'withdraw') await inviter.invitations.withdraw({ id });
    if (fate !== 'accept' && fate !== 'decline') continue;
    const client = await accounts.as(actor);
    const reason = fate === 'decline' ? 'Not what my readers look for.' : undefined;
    await client.invitations.respond({ id, response: fate, reason });
  }
}

/** Links were opened: on each day of the past by SQL, and once today, as a visitor does. */
export async function openLinks({ accounts, cast, pool }: Scene): Promise<void> {
  await writeSampleOpens(pool);
  const client = await accounts.as(numbered(cast.distributors, 1));
  const { data } = await client.links.mine({ limit: 1 });
  const code = data.items[0]?.code;
  if (code) await client.referrals.open({ code });
}
